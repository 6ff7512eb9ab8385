import { texts } from "../texts";

/** An agent as people call it; one of the server's own that is not known here by its id, in words. */
export function agentName(agent: string | null): string {
  if (agent === null || agent === "") return texts.chat.assistant;
  return texts.chat.agents[agent] ?? spelled(agent);
}

export function toolName(tool: string): string {
  return texts.chat.tools[tool] ?? spelled(tool);
}

function spelled(id: string): string {
  const words = id.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
