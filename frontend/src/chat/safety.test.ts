import { describe, expect, it } from "vitest";
import { safeHref, withoutOverrides } from "./safety";

describe("safeHref", () => {
  it.each(["https://a.example/x?y=1#z", "http://a.example/", "mailto:a@b.example"])("follows %s", (href) => {
    expect(safeHref(href)).toBe(href);
  });

  it.each([
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,<script>1</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://a.example/1",
    "//a.example",
    "/v1/conversations",
    "",
    "not an address",
  ])("does not follow %j", (href) => {
    expect(safeHref(href)).toBeNull();
  });
});

it("marks that turn text around are taken out, letters of any script are not", () => {
  expect(withoutOverrides("a\u202Egpj.exe\u2066b\u2069 שלום")).toBe("agpj.exeb שלום");
});
