import { describe, expect, it } from "vitest";
import { found } from "./found";

const shown = (text: string, query: string, short = false) =>
  found(text, query, { short })
    .map((part) => (part.found ? `<${part.text}>` : part.text))
    .join("");

describe("what was searched for", () => {
  it("is told apart wherever it stands, whatever its case", () => {
    expect(shown("Nurse, or nursing? A nurse.", "nurse")).toBe("<Nurse>, or nursing? A <nurse>.");
    expect(shown("Jobs in Zürich", "ZÜRICH jobs")).toBe("<Jobs> in <Zürich>");
  });

  it("is the longest of words that begin alike, and no pattern", () => {
    expect(shown("javascript", "java javascript")).toBe("<javascript>");
    expect(shown("c++ (or c)", "c++ (or")).toBe("<c++> <(or> c)");
    expect(shown("abc", ".*")).toBe("abc");
  });

  it("is nothing without a query", () => {
    expect(shown("as it is", " ")).toBe("as it is");
  });

  it("has a few words before it where there is little room", () => {
    const text = "Tell me your title and skills, for example that you are a registered nurse in Leeds";
    expect(shown(text, "nurse", true)).toBe("…you are a registered <nurse> in Leeds");
    expect(shown("a nurse", "nurse", true)).toBe("a <nurse>");
    expect(shown(`${"x".repeat(60)}nurse`, "nurse", true)).toBe("…<nurse>");
    expect(shown("…title and skills", "welder", true)).toBe("…title and skills");
  });
});
