// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isNewest } from "./block";
import { EVERY } from "./samples.fixture";
import { show, viewOf } from "./shown.fixture";

const written = vi.fn(async (_text: string) => undefined);

beforeEach(() => {
  written.mockClear();
  Object.defineProperty(navigator, "clipboard", { value: { writeText: written }, configurable: true });
});
afterEach(cleanup);

/** Each test has a draft of its own: what is changed in one is kept for as long as the page is. */
function mail() {
  return { ...EVERY.email_draft };
}

describe("a cover letter", () => {
  it("marks its blanks, and is copied with those that are filled in", async () => {
    const { container } = show(EVERY.cover_letter);
    expect([...container.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual([
      "[number]",
      "[your name]",
    ]);
    fireEvent.change(screen.getByLabelText("number"), { target: { value: "six" } });
    expect(screen.getByText("Fill in 1 blank")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Copy" }));
    await vi.waitFor(() =>
      expect(written).toHaveBeenCalledWith("Dear team,\n\nI bring six years of Python.\n\n[your name]"),
    );
    expect(await screen.findByRole("button", { name: "Copied" })).toBeTruthy();
  });

  it("says what it does not claim and what it rests on", () => {
    show(EVERY.cover_letter);
    expect(screen.getByText("Kafka").closest("ul")?.previousElementSibling?.textContent).toContain(
      "does not claim",
    );
    expect(screen.getByText("skill: Python")).toBeTruthy();
  });

  it("is saved as a text file named after it", () => {
    vi.useFakeTimers();
    const made = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:letter");
    const freed = vi.spyOn(URL, "revokeObjectURL").mockReturnValue();
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      expect([this.download, this.getAttribute("href")]).toEqual([
        "Application-for-Data-Analyst.txt",
        "blob:letter",
      ]);
    });
    show(EVERY.cover_letter);
    fireEvent.click(screen.getByRole("button", { name: "Save as .txt" }));
    vi.runAllTimers();
    expect([made.mock.calls.length, clicked.mock.calls.length, freed.mock.calls.length]).toEqual([1, 1, 1]);
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
});

describe("an e-mail draft", () => {
  it("opens in a mail program as it stands", () => {
    show(mail());
    fireEvent.change(screen.getByLabelText("name"), { target: { value: "Ms Ito" } });
    const link = screen.getByRole("link", { name: "Open in mail program" });
    expect(link.getAttribute("href")).toBe(
      "mailto:hr@quillmark.example?subject=My%20application&body=Dear%20Ms%20Ito%2C%0D%0A%0D%0AHow%20does%20it%20stand%3F",
    );
  });

  it("takes another of its subjects", () => {
    show(mail());
    fireEvent.click(screen.getByRole("radio", { name: "How does it stand?" }));
    expect(screen.getByText("Subject", { selector: "dt" }).nextElementSibling?.textContent).toBe(
      "How does it stand?",
    );
  });

  it("is changed in place, copied as changed, and can be had back", async () => {
    show(mail());
    fireEvent.click(screen.getByRole("button", { name: "Edit" }));
    fireEvent.change(screen.getByLabelText("Text"), { target: { value: "Hello!" } });
    fireEvent.change(screen.getByLabelText("To"), { target: { value: "ann@quillmark.example" } });
    fireEvent.click(screen.getByRole("button", { name: "Done" }));
    expect(screen.getByText(/stays on this page/)).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Copy text" }));
    await vi.waitFor(() => expect(written).toHaveBeenCalledWith("Hello!"));
    fireEvent.click(screen.getByRole("button", { name: "Undo changes" }));
    expect(screen.getByText("hr@quillmark.example")).toBeTruthy();
  });

  it("hands what was filled in to the assistant, a line each", () => {
    const { send } = show(mail());
    const use = screen.getByRole("button", { name: "Put it into the draft" });
    expect(use).toHaveProperty("disabled", true);
    fireEvent.change(screen.getByLabelText("name"), { target: { value: " Ms Ito " } });
    fireEvent.click(use);
    expect(send).toHaveBeenCalledWith("[name]: Ms Ito");
  });

  it("takes nothing over once there is a newer draft", () => {
    const [older, newer] = [mail(), mail()];
    const { view } = viewOf(older, EVERY.cover_letter, newer);
    expect([isNewest(view, older), isNewest(view, newer)]).toEqual([false, true]);
  });

  it("keeps a change while it is scrolled out of sight", () => {
    const block = mail();
    show(block);
    fireEvent.click(screen.getByRole("button", { name: "Edit" }));
    fireEvent.change(screen.getByLabelText("Subject"), { target: { value: "Mine" } });
    cleanup();
    show(block);
    expect(screen.getByText("Mine")).toBeTruthy();
  });

  it("says what to do where copying is forbidden", async () => {
    written.mockRejectedValueOnce(new Error("denied"));
    const { announce } = show(mail());
    fireEvent.click(screen.getByRole("button", { name: "Copy text" }));
    await vi.waitFor(() =>
      expect(announce).toHaveBeenCalledWith(expect.stringContaining("by hand"), "error"),
    );
  });
});
