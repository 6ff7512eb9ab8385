/** Every English text of the page, by the part that shows it. A translation is another object of this shape. */
export const texts = {
  ui: {
    close: "Close",
    cancel: "Cancel",
    save: "Save",
    copy: "Copy",
    copied: "Copied",
    loading: "Loading…",
    tryAgain: "Try again",
  },
  // -- shell: header, conversation list, settings
  shell: {
    name: "Signalbox",
  },
  // -- chat: messages, composer, quick replies, connection
  chat: {},
  // -- blocks: typed results
  blocks: {},
  // -- panels: profile, CV, applications, approvals, events, usage
  panels: {},
};

export type Texts = typeof texts;
