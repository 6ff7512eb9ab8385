// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from "vitest";
import { drafts, edits, forgetAll, storedKey, temporaryChats } from "./storage";

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

describe("signing out", () => {
  it("leaves nothing of the user, and the colours as they are", () => {
    storedKey.keep("secret", true);
    drafts.keep(null, "unsent");
    drafts.keep("c_1", "unsent, too");
    edits.keep("r_1", "changed");
    temporaryChats.add("c_2");
    sessionStorage.setItem("signalbox.approval.ap_1", "[]");
    localStorage.setItem("signalbox.theme", "dark");
    localStorage.setItem("other", "kept");
    forgetAll();
    expect({ ...localStorage }).toEqual({ "signalbox.theme": "dark", other: "kept" });
    expect(sessionStorage.length).toBe(0);
  });
});

describe("the key", () => {
  it("is kept in one place, so that an older one does not come back", () => {
    storedKey.keep("old", true);
    storedKey.keep("new", false);
    expect(localStorage.length).toBe(0);
    sessionStorage.clear();
    expect(storedKey.read()).toBeNull();
  });
});

describe("a message that was not taken", () => {
  it("goes to the field that is open in its conversation", () => {
    const take = vi.fn();
    const forget = drafts.onGivenBack("c_1", take);
    drafts.giveBack("c_1", "lost");
    expect(take).toHaveBeenCalledWith("lost");
    expect(drafts.read("c_1")).toBe("");
    forget();
  });

  it("else waits for it, and never takes the place of what was written since", () => {
    drafts.giveBack("c_1", "lost");
    expect(drafts.read("c_1")).toBe("lost");
    drafts.giveBack("c_1", "another");
    expect(drafts.read("c_1")).toBe("lost");
  });
});
