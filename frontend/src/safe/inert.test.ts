import { describe, expect, it } from "vitest";
import { inert, line, safeUrl } from "./inert";

describe("text of others", () => {
  it("loses what turns the text around it, and what cannot be seen", () => {
    expect(inert("a\u202Egnp.exe\u202C\u2066b\u2069\u200F\u061C")).toBe("agnp.exeb");
    expect(inert("a\u0000\u001b[31mb\u{e0041}\ufeff")).toBe("a[31mb");
    expect(inert("half \ud83d of a pair")).toBe("half  of a pair");
  });

  it("keeps line breaks, tabs, accents, emoji and right-to-left letters", () => {
    const text = "Größe\tשלום\nनमस्ते 👩‍💻 e\u0301";
    expect(inert(text)).toBe(text);
    expect(inert("a\r\nb\rc\u2028d")).toBe("a\nb\nc\nd");
  });

  it("piles no more than four accents on a letter", () => {
    expect(inert(`Z${"\u0301".repeat(500)}`)).toBe(`Z${"\u0301".repeat(4)}`);
  });

  it("is cut between letters, not within one", () => {
    expect(line("  a \n b  ")).toBe("a b");
    expect(line("👩👩👩", 2)).toBe("👩👩…");
    expect(line(null)).toBe("");
  });
});

describe("links of others", () => {
  it.each([
    ["https://jobs.example/1?a=b#c", "https://jobs.example/1?a=b#c"],
    [" http://jobs.example ", "http://jobs.example/"],
  ])("%s may be followed", (address, href) => {
    expect(safeUrl(address)?.href).toBe(href);
  });

  it("and a mail address where text is written", () => {
    expect(safeUrl("mailto:a@b.example", { mail: true })?.href).toBe("mailto:a@b.example");
    expect(safeUrl("javascript:alert(1)", { mail: true })).toBeNull();
  });

  it.each([
    "javascript:alert(1)",
    " javascript:alert(1)",
    "not an address",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "blob:https://jobs.example/1",
    "file:///etc/passwd",
    "mailto:a@b.example",
    "//jobs.example/1",
    "/v1/applications",
    "jobs.example",
    "https://bank.example@evil.example/",
    "https://",
    "",
    null,
  ])("%j may not", (address) => {
    expect(safeUrl(address)).toBeNull();
  });
});
