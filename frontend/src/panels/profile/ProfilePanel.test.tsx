// @vitest-environment happy-dom
import type {
  Client,
  Profile,
  ProfileFact,
  ResumeTaken,
  StoredResume,
  UploadOptions,
} from "@signalbox/client";
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { StrictMode } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { texts } from "../../texts";
import { fact, NO_PROFILE, refusal, stage } from "../stage.fixture";
import ProfilePanel from "./ProfilePanel";

const t = texts.panels.profile;
const cv = texts.panels.resume;

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const BERLIN = fact("f_1", "location", "Berlin");
const PYTHON = fact("f_2", "skill", "Python", {
  source: { kind: "resume", resumeId: "cv_1", fileName: "jo.pdf" },
});
const NIGHTS = fact("f_3", "exclude_term", "night shifts", { source: null });
NIGHTS.fact satisfies ProfileFact;
const RULE = { ...NIGHTS, fact: { ...NIGHTS.fact, kind: "constraint" as const } };

function change(id: string, added: ProfileFact[], removed: ProfileFact[] = []) {
  return { changeId: id, changedAt: "2026-11-30T10:00:00Z", added, removed };
}

const KNOWN: Profile = {
  facts: [BERLIN, PYTHON, RULE],
  newestChange: change("ch_1", [BERLIN.fact, PYTHON.fact]),
  resume: null,
  settings: { remember: true },
};

function open(profile: () => Promise<Profile>, others: Partial<Client> = {}) {
  return stage(<ProfilePanel />, { client: { profile, resume: async () => null, ...others } });
}

describe("the profile", () => {
  it("says how it is filled while it is empty", async () => {
    open(async () => NO_PROFILE);
    await screen.findByText(t.empty);
    screen.getByText(t.emptyHow);
    expect(screen.queryByTestId("newest-change")).toBeNull();
  });

  it("groups facts by kind, each with where it comes from", async () => {
    open(async () => KNOWN);
    const rows = await screen.findAllByTestId("fact");
    expect(rows).toHaveLength(3);
    const said = within(rows[0] as HTMLElement);
    said.getByText("I said Berlin");
    expect(said.getByText(t.openConversation).getAttribute("href")).toBe("/c/c_1");
    within(rows[1] as HTMLElement).getByText("jo.pdf");
    within(screen.getByLabelText(t.kinds.constraint)).getByText(new RegExp(t.fromGone));
  });

  it("leads to a conversation and gets out of the way", async () => {
    const { session } = open(async () => KNOWN);
    fireEvent.click((await screen.findAllByText(t.openConversation))[0] as HTMLElement);
    expect(session.openPanel).toHaveBeenCalledWith(null);
  });

  it("names a source once for facts that follow one another", async () => {
    const sql = { ...PYTHON, fact: { ...PYTHON.fact, fact_id: "f_9", value: "SQL" } };
    open(async () => ({ ...KNOWN, facts: [BERLIN, PYTHON, sql] }));
    const rows = await screen.findAllByTestId("fact");
    const named = rows.map((row) => within(row).queryByText("jo.pdf") !== null);
    expect(named).toEqual([false, false, true]);
  });

  it("forgets one, and offers it back where it was, with the focus on it", async () => {
    let profile = KNOWN;
    const forgetFact = vi.fn(async () => {
      profile = { ...KNOWN, facts: [PYTHON, RULE], newestChange: change("ch_2", [], [BERLIN.fact]) };
    });
    const undoProfile = vi.fn(async () => {
      profile = KNOWN;
      return {} as never;
    });
    open(async () => profile, { forgetFact, undoProfile });
    fireEvent.click(await screen.findByLabelText(t.forget("Place: Berlin")));
    const undo = await screen.findByTestId("undo-forget");
    expect(forgetFact).toHaveBeenCalledWith("f_1");
    expect(document.activeElement).toBe(undo);
    fireEvent.click(undo);
    await screen.findByLabelText(t.forget("Place: Berlin"));
    expect(undoProfile).toHaveBeenCalledWith("ch_2");
    expect(screen.queryByTestId("undo-forget")).toBeNull();
  });

  it("says what an undo would take back before it is done", async () => {
    open(async () => KNOWN);
    const newest = within(await screen.findByTestId("newest-change"));
    newest.getByText(t.wouldRemove);
    newest.getByText("Place: Berlin");
    newest.getByText("Skill: Python");
    expect(newest.queryByText(t.wouldRestore)).toBeNull();
  });

  it("shows what is newest, and why, when something else came before the undo", async () => {
    let profile = KNOWN;
    const undoProfile = async () => {
      profile = { ...KNOWN, newestChange: change("ch_9", [RULE.fact]) };
      throw refusal("Something newer came in between.", "conflict", 409);
    };
    const { session } = open(async () => profile, { undoProfile });
    fireEvent.click(await screen.findByTestId("undo-change"));
    await waitFor(() => within(screen.getByTestId("newest-change")).getByText(/night shifts/));
    expect(session.announce).toHaveBeenCalledWith("Something newer came in between.", "error");
  });

  it("loads anew when an answer has changed it, and shows the old one until then", async () => {
    let profile = NO_PROFILE;
    const { tell } = open(async () => profile);
    await screen.findByText(t.empty);
    profile = KNOWN;
    tell({ type: "chunk" });
    tell({ type: "profile_updated" });
    await screen.findAllByTestId("fact");
  });

  it("a failure to load is told in the server's words, and tried again", async () => {
    let fails = true;
    open(async () => {
      if (fails) throw refusal("The database is away.", "store_unavailable", 503, true);
      return KNOWN;
    });
    await screen.findByText("The database is away.");
    expect(screen.queryByText(t.empty)).toBeNull();
    fails = false;
    fireEvent.click(screen.getByText(texts.ui.tryAgain));
    await screen.findAllByTestId("fact");
    expect(screen.queryByText("The database is away.")).toBeNull();
  });

  it("short waits show nothing, long ones do", async () => {
    vi.useFakeTimers();
    open(() => new Promise(() => undefined));
    await act(async () => vi.advanceTimersByTime(250));
    expect(screen.queryByText(texts.ui.loading)).toBeNull();
    await act(async () => vi.advanceTimersByTime(100));
    screen.getByText(texts.ui.loading);
  });
});

describe("a fact", () => {
  const LONDON = fact("f_edit_1", "location", "London", { source: null });
  LONDON.fact satisfies ProfileFact;
  const HERE = { ...LONDON, fact: { ...LONDON.fact, source_message_id: null } };

  it("that was only concluded is marked as such", async () => {
    const noticed = { ...BERLIN, fact: { ...BERLIN.fact, origin: "extracted" as const, confidence: 0.7 } };
    open(async () => ({ ...KNOWN, facts: [noticed, PYTHON] }));
    const mark = await screen.findByTestId("noticed");
    expect(mark.textContent).toContain("70% sure");
    screen.getByText(t.fromNoticing, { exact: false });
    expect(screen.getAllByTestId("noticed")).toHaveLength(1);
  });

  it("is pinned and let go", async () => {
    let pinned = false;
    const amendFact = vi.fn(async (_: string, change: { pinned?: boolean }) => {
      pinned = change.pinned ?? pinned;
      return BERLIN.fact;
    });
    open(async () => ({ ...KNOWN, facts: [{ ...BERLIN, fact: { ...BERLIN.fact, pinned } }] }), { amendFact });
    const pin = await screen.findByLabelText(t.pin("Place: Berlin"));
    expect(pin.getAttribute("aria-pressed")).toBe("false");
    fireEvent.click(pin);
    await waitFor(() => expect(pin.getAttribute("aria-pressed")).toBe("true"));
    fireEvent.click(pin);
    await waitFor(() => expect(pin.getAttribute("aria-pressed")).toBe("false"));
    expect(amendFact.mock.calls).toEqual([
      ["f_1", { pinned: true }],
      ["f_1", { pinned: false }],
    ]);
  });

  it("is corrected where it stands, and says that it was", async () => {
    let facts = [BERLIN];
    const amendFact = vi.fn(async () => {
      facts = [HERE];
      return HERE.fact;
    });
    open(async () => ({ ...KNOWN, facts }), { amendFact });
    fireEvent.click(await screen.findByLabelText(t.edit("Place: Berlin")));
    const field = screen.getByTestId("fact-value") as HTMLInputElement;
    expect([field.value, document.activeElement]).toEqual(["Berlin", field]);
    fireEvent.change(field, { target: { value: " London " } });
    fireEvent.submit(field);
    await screen.findByText(new RegExp(t.fromHere));
    expect(amendFact).toHaveBeenCalledWith("f_1", { value: "London" });
    expect(screen.queryByTestId("fact-value")).toBeNull();
    expect(document.activeElement).toBe(screen.getByLabelText(t.edit("Place: London")));
  });

  it("stays in its field with the reason when the server refuses it; Escape leaves only the field", async () => {
    const amendFact = async () => {
      throw refusal("'x' is no value for 'years'. It must be a whole number.", "bad_request", 400);
    };
    open(async () => KNOWN, { amendFact });
    fireEvent.click(await screen.findByLabelText(t.edit("Place: Berlin")));
    const field = screen.getByTestId("fact-value");
    fireEvent.change(field, { target: { value: "x" } });
    fireEvent.submit(field);
    await screen.findByText(/It must be a whole number/);
    const outside = vi.fn();
    document.body.addEventListener("keydown", outside, { once: true });
    fireEvent.keyDown(field, { key: "Escape" });
    expect(screen.queryByTestId("fact-value")).toBeNull();
    expect(outside).not.toHaveBeenCalled();
    screen.getByText("Berlin");
    expect(document.activeElement).toBe(screen.getByLabelText(t.edit("Place: Berlin")));
  });

  it("that is not as it was shown is shown anew, with the reason", async () => {
    let facts = [BERLIN];
    const amendFact = async () => {
      facts = [HERE];
      throw refusal("This fact was replaced or forgotten.", "conflict", 409);
    };
    const { session } = open(async () => ({ ...KNOWN, facts }), { amendFact });
    fireEvent.click(await screen.findByLabelText(t.pin("Place: Berlin")));
    await screen.findByText("London");
    expect(session.announce).toHaveBeenCalledWith("This fact was replaced or forgotten.", "error");
  });
});

describe("what the user decides", () => {
  const p = texts.panels.privacy;

  it("whether things are remembered; while they are not, what is known is marked", async () => {
    let settings = { remember: true };
    const remember = vi.fn(async (on: boolean) => {
      settings = { remember: on };
      return settings;
    });
    open(async () => ({ ...KNOWN, settings }), { remember });
    const choice = (await screen.findByLabelText(t.remember)) as HTMLInputElement;
    expect(choice.checked).toBe(true);
    fireEvent.click(choice);
    await screen.findByText(t.off);
    expect(choice.checked).toBe(false);
    fireEvent.click(choice);
    await waitFor(() => expect(screen.queryByText(t.off)).toBeNull());
    expect(remember.mock.calls).toEqual([[false], [true]]);
  });

  it("to take everything along, as a file", async () => {
    const made = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:data");
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
    const { session } = open(async () => KNOWN, { exportAll: async () => ({ facts: ["all"] }) });
    fireEvent.click(await screen.findByTestId("export-all"));
    await waitFor(() => expect(session.announce).toHaveBeenCalledWith(p.exported));
    expect(clicked).toHaveBeenCalledTimes(1);
    const blob = made.mock.calls[0]?.[0] as Blob;
    expect(JSON.parse(await blob.text())).toEqual({ facts: ["all"] });
    vi.restoreAllMocks();
  });

  it("to erase everything: told what goes, asked for the word, and the page begins anew", async () => {
    let fails = true;
    const eraseAll = vi.fn(async () => {
      if (fails) throw refusal("The database is away.", "store_unavailable", 503, true);
      return {};
    });
    const { session } = open(async () => KNOWN, { eraseAll });
    fireEvent.click(await screen.findByTestId("erase-all"));
    const word = await screen.findByLabelText(p.eraseType(p.eraseWord));
    for (const what of p.goes) screen.getByText(what);
    const confirm = screen.getByTestId("confirm") as HTMLButtonElement;
    fireEvent.change(word, { target: { value: "eras" } });
    expect(confirm.disabled).toBe(true);
    fireEvent.change(word, { target: { value: " Erase " } });
    fireEvent.click(confirm);
    await screen.findByText("The database is away.");
    expect(session.startOver).not.toHaveBeenCalled();
    fails = false;
    fireEvent.click(confirm);
    await waitFor(() => expect(session.startOver).toHaveBeenCalledTimes(1));
  });
});

const RESUME: StoredResume["resume"] = {
  headline: "Data Engineer",
  summary: "",
  location: "Berlin",
  work: [
    {
      title: "Engineer",
      company: "Acme",
      location: "",
      start: "2021-03",
      end: null,
      current: true,
      highlights: ["Built things"],
    },
  ],
  education: [],
  skills: ["Python", "SQL"],
  languages: [],
  certificates: [],
  projects: [],
  other: [],
  sections: ["work", "skills"],
  contact: ["email", "phone"],
  pages: 2,
  text: "Data Engineer Berlin",
  source: "jo.pdf",
};
const STORED: StoredResume = {
  resumeId: "cv_1",
  fileName: "jo.pdf",
  mediaType: "application/pdf",
  createdAt: "2026-11-30T10:00:00Z",
  resume: RESUME,
};
const TAKEN: ResumeTaken = {
  ...STORED,
  added: [PYTHON.fact],
  removed: [],
  warnings: ["The CV says 7 years."],
};

function file(name = "jo.pdf", bytes = 10): File {
  return new File([new Uint8Array(bytes)], name);
}

function choose(...files: File[]): void {
  fireEvent.change(screen.getByTestId("upload-input"), { target: { files } });
}

function drop(...files: File[]): void {
  fireEvent.drop(screen.getByTestId("upload-drop"), { dataTransfer: { files, types: ["Files"] } });
}

/** An upload that goes on until it is told how it ends. */
function pausedUpload() {
  const going: { options: UploadOptions; resolve: (taken: ResumeTaken) => void }[] = [];
  const uploadResume = vi.fn(
    (_file: Blob, options: UploadOptions = {}) =>
      new Promise<ResumeTaken>((resolve, reject) => {
        going.push({ options, resolve });
        options.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      }),
  );
  return { uploadResume, going };
}

describe("the CV", () => {
  it.each([
    ["chosen", choose],
    ["dropped", drop],
  ] as const)("is sent when %s, and shown as it was understood", async (_, put) => {
    let stored: StoredResume | null = null;
    const uploadResume = vi.fn(async () => {
      stored = STORED;
      return TAKEN;
    });
    open(async () => NO_PROFILE, { uploadResume, resume: async () => stored });
    await screen.findByText(t.empty);
    put(file());
    const result = within(await screen.findByTestId("upload-result"));
    result.getByText("The CV says 7 years.");
    result.getByText("Skill: Python");
    const shown = within(await screen.findByTestId("resume"));
    shown.getByText(/e-mail, phone number/);
    shown.getByText("Built things");
    expect(uploadResume).toHaveBeenCalledTimes(1);
  });

  it("leads on to what it was sent for", async () => {
    const resume = async () => STORED;
    const { session } = open(async () => NO_PROFILE, { uploadResume: async () => TAKEN, resume });
    await screen.findByText(t.empty);
    choose(file());
    fireEvent.click(await screen.findByText("Review my CV"));
    await waitFor(() => expect(session.openPanel).toHaveBeenCalledWith(null));
    expect(session.actions.send).toHaveBeenCalledWith("Review my CV");
  });

  it("is sent once when the chat hands it over, and not again", async () => {
    const uploadResume = vi.fn(async () => TAKEN);
    const client = { uploadResume, profile: async () => NO_PROFILE, resume: async () => STORED };
    const panel = (
      <StrictMode>
        <ProfilePanel />
      </StrictMode>
    );
    const { session } = stage(panel, { client, pendingUpload: file("cv.md") });
    await screen.findByTestId("upload-result");
    expect(uploadResume).toHaveBeenCalledTimes(1);
    expect(session.announce).not.toHaveBeenCalled();
    expect(uploadResume).toHaveBeenCalledWith(expect.any(File), expect.objectContaining({ name: "cv.md" }));
  });

  it("shows how much was sent, then that it is read, and can be stopped", async () => {
    const { uploadResume, going } = pausedUpload();
    open(async () => NO_PROFILE, { uploadResume, resume: async () => STORED });
    await screen.findByText(t.empty);
    choose(file());
    act(() => going[0]?.options.onProgress?.(0.4));
    expect(screen.getByTestId("upload-progress").getAttribute("value")).toBe("0.4");
    act(() => going[0]?.options.onProgress?.(1));
    screen.getByText(cv.reading("jo.pdf"));
    fireEvent.click(screen.getByText(texts.ui.cancel));
    await screen.findByText(cv.cancelled);
    expect(going[0]?.options.signal?.aborted).toBe(true);
    choose(file());
    await act(async () => going[1]?.resolve(TAKEN));
    await screen.findByTestId("upload-result");
  });

  it("goes on when the panel is closed, and says then how it went", async () => {
    const { uploadResume, going } = pausedUpload();
    const { session } = open(async () => NO_PROFILE, { uploadResume });
    await screen.findByText(t.empty);
    choose(file());
    cleanup();
    await act(async () => going[0]?.resolve(TAKEN));
    expect(session.announce).toHaveBeenCalledWith(cv.took);
  });

  it.each([
    [[file("a.pdf"), file("b.pdf")], cv.oneOnly],
    [[file("a.pdf", 0)], cv.emptyFile],
    [[file("a.pdf", 5_000_001)], cv.tooLarge("5.0 MB", "5.0 MB")],
    [[], cv.noFile],
  ])("what cannot be sent is not: %#", async (files, words) => {
    const uploadResume = vi.fn();
    open(async () => NO_PROFILE, { uploadResume });
    await screen.findByText(t.empty);
    drop(...files);
    await screen.findByText(words);
    expect(uploadResume).not.toHaveBeenCalled();
  });

  it("a refusal is told in the server's words; only what may pass can be tried again", async () => {
    const faults = [
      refusal("This is an old Word file (.doc).", "unsupported_resume", 415),
      refusal("Many CVs are being read just now.", "busy", 503, true),
    ];
    const uploadResume = vi.fn(async () => {
      const fault = faults.shift();
      if (fault) throw fault;
      return TAKEN;
    });
    open(async () => NO_PROFILE, { uploadResume, resume: async () => STORED });
    await screen.findByText(t.empty);
    choose(file());
    await screen.findByText("This is an old Word file (.doc).");
    expect(screen.queryByText(texts.ui.tryAgain)).toBeNull();
    choose(file());
    await screen.findByText("Many CVs are being read just now.");
    fireEvent.click(screen.getByText(texts.ui.tryAgain));
    await screen.findByTestId("upload-result");
  });

  it("can be pasted", async () => {
    const uploadResume = vi.fn(async (_file: Blob) => TAKEN);
    open(async () => NO_PROFILE, { uploadResume, resume: async () => STORED });
    await screen.findByText(t.empty);
    fireEvent.change(screen.getByLabelText(cv.pasteLabel), { target: { value: "Jo Doe, nurse" } });
    fireEvent.click(screen.getByTestId("paste-send"));
    await screen.findByTestId("upload-result");
    expect(await uploadResume.mock.calls[0]?.[0].text()).toBe("Jo Doe, nurse");
  });

  it("takes what an upload did out of sight once that CV is erased", async () => {
    let stored: StoredResume | null = null;
    const uploadResume = async () => {
      stored = STORED;
      return TAKEN;
    };
    const deleteResume = async () => {
      stored = null;
    };
    open(async () => NO_PROFILE, { uploadResume, deleteResume, resume: async () => stored });
    await screen.findByText(t.empty);
    choose(file());
    await screen.findByTestId("upload-result");
    fireEvent.click(await screen.findByTestId("erase-resume"));
    fireEvent.click(await screen.findByTestId("confirm"));
    await waitFor(() => expect(screen.queryByTestId("upload-result")).toBeNull());
  });

  it("is erased only after a second yes", async () => {
    let stored: StoredResume | null = STORED;
    const deleteResume = vi.fn(async () => {
      stored = null;
    });
    open(async () => NO_PROFILE, { resume: async () => stored, deleteResume });
    fireEvent.click(await screen.findByTestId("erase-resume"));
    await screen.findByText(cv.eraseWhat);
    expect(deleteResume).not.toHaveBeenCalled();
    fireEvent.click(screen.getByTestId("confirm"));
    await waitFor(() => expect(screen.queryByTestId("resume")).toBeNull());
    expect(deleteResume).toHaveBeenCalledTimes(1);
  });
});
