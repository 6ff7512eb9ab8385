import { texts } from "../texts";

/** An agent as people call it; one of the server's own that is not known here by its id, in words. */
export function agentName(agent: string | null): string {
  if (agent === null || agent === "") return texts.chat.assistant;
  return texts.chat.agents[agent] ?? spelled(agent);
}

export function toolName(tool: string): string {
  const { server, name } = partsOf(tool);
  if (server !== null) return texts.chat.toolOf(spelled(name), server);
  return texts.chat.tools[tool] ?? spelled(tool);
}

/** The server that a tool is of, if it is none of ours; such a tool's id is `server__tool`. */
export function partsOf(tool: string): { server: string | null; name: string } {
  const at = tool.indexOf("__");
  if (at <= 0 || at + 2 >= tool.length) return { server: null, name: tool };
  return { server: tool.slice(0, at), name: tool.slice(at + 2) };
}

function spelled(id: string): string {
  const words = id.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
