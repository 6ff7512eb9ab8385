// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { Markdown } from "./Markdown";

afterEach(cleanup);

const drawnFrom = (text: string, streaming = false) =>
  render(<Markdown text={text} streaming={streaming} />).container;

describe("Markdown", () => {
  it("shows HTML as the text that it is", () => {
    const page = drawnFrom(
      '<script>alert(1)</script>\n\nHi <img src=x onerror="alert(1)"> <b>you</b>\n\n<iframe src="/">',
    );
    expect(page.querySelector("script, img, b, iframe")).toBeNull();
    expect(page.textContent).toContain("<script>alert(1)</script>");
    expect(page.textContent).toContain('<img src=x onerror="alert(1)">');
  });

  it("makes links of web addresses only, and of pictures too", () => {
    const page = drawnFrom(
      "[ok](https://a.example/x) [bad](javascript:alert(1)) [worse](jAvA&#115;cript:alert(1)) ![cat](https://a.example/c.png) [in](/v1/chat)",
    );
    const links = [...page.querySelectorAll("a")];
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      "https://a.example/x",
      "https://a.example/c.png",
    ]);
    for (const link of links) {
      expect(link.target).toBe("_blank");
      expect(link.rel).toBe("noopener noreferrer nofollow ugc");
    }
    expect(page.textContent).toContain("bad worse cat in");
  });

  it("drops what acts on the text around it, written as it is or by its number", () => {
    const page = drawnFrom(
      "a\u001b[2Jb\u0007 c\u202ed &#x202e;e&#27;f &rlm;g `h\u009bi`\n\n```t\u202es\nj\u0008k\n```",
    );
    expect(page.textContent).toContain("a[2Jb cd ef g hi");
    expect(page.textContent).toContain("ts");
    expect(page.textContent).not.toMatch(/(?![\n\t])[\p{Cc}\u200f\u202e]/u);
  });

  it("draws lists, tables, code and emphasis", () => {
    const page = drawnFrom(
      "3. **a**\n4. _b_\n\n| x | y |\n|---|--:|\n| 1 | 2 |\n\n```js\nlet a = 1 < 2;\n```\n\n- [x] done",
    );
    expect(page.querySelector("ol")?.start).toBe(3);
    expect(page.querySelector("strong")?.textContent).toBe("a");
    expect(page.querySelectorAll("td")).toHaveLength(2);
    expect(page.querySelector("pre code")?.textContent).toBe("let a = 1 < 2;");
    expect(page.querySelector<HTMLInputElement>("input[type=checkbox]")?.checked).toBe(true);
  });

  it("turns character references into characters, and leaves code alone", () => {
    const page = drawnFrom("R&amp;D &eacute; `a &amp; b`");
    expect(page.querySelector("p")?.textContent).toBe("R&D é a &amp; b");
  });

  it("takes marks out that would turn text around", () => {
    expect(drawnFrom("safe\u202Egpj.exe\n\n```\na\u2066b\n```").textContent).not.toMatch(
      /[\u202A-\u202E\u2066-\u2069]/,
    );
  });

  it("keeps the elements of earlier blocks while more is written", () => {
    const { container, rerender } = render(<Markdown text={"One.\n\nTwo.\n\nThr"} streaming />);
    const [first] = container.querySelectorAll("p");
    rerender(<Markdown text={"One.\n\nTwo.\n\nThree **bo"} streaming />);
    const paragraphs = container.querySelectorAll("p");
    expect(paragraphs[0]).toBe(first);
    expect(paragraphs[2]?.innerHTML).toBe("Three <strong>bo</strong>");
  });

  it("shows the mark of a source only where there is one", () => {
    const page = drawnFrom("Known [1] and [note].");
    expect(page.textContent).toContain("Known [1] and [note].");
    expect(page.querySelector("button")).toBeNull();
  });

  it.each([">".repeat(4_000), `${"- ".repeat(2_500)}x`, `${"1. ".repeat(2_500)}x`, "**a *b ".repeat(5_000)])(
    "draws what is nested without end (%#) as text",
    (text) => {
      const started = performance.now();
      const page = drawnFrom(text);
      expect(page.textContent?.length).toBeGreaterThan(2_000);
      expect(page.querySelectorAll("blockquote blockquote, li li").length).toBeLessThan(20);
      expect(performance.now() - started).toBeLessThan(5_000);
    },
  );

  it("draws a long list and a long table as one, and what is settled of them only once", () => {
    const list = Array.from({ length: 150 }, (_, at) => `${at + 3}. Item number **${at}**\n`).join("");
    const table = `\n| a | b |\n|---|--:|\n${"| some | words |\n".repeat(200)}`;
    const { container, rerender } = render(<Markdown text={list.slice(0, 3_400)} streaming />);
    const [first] = container.querySelectorAll("li");
    rerender(<Markdown text={list + table} streaming />);
    expect(container.querySelectorAll("li")).toHaveLength(150);
    expect(container.querySelectorAll("li")[0]).toBe(first);
    expect([...container.querySelectorAll("ol")].map(({ start }) => start)).toEqual([3]);
    expect(container.querySelectorAll("thead tr")).toHaveLength(1);
    expect(container.querySelectorAll("tbody tr")).toHaveLength(200);
    expect(container.querySelectorAll("table")).toHaveLength(1);
  });
});
