import { useEffect, useState } from "react";

/** Read by public/theme.js before anything is painted. */
const KEY = "signalbox.theme";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** The colours chosen here. Where storage is blocked they last as long as the page. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(shownTheme);
  useEffect(() => followTabs(setTheme), []);
  const choose = (next: Theme) => {
    show(next);
    keep(next);
    setTheme(next);
  };
  return [theme, choose];
}

/** All tabs have the same colours. */
export function useThemeOfOtherTabs(): void {
  useEffect(() => followTabs(show), []);
}

function followTabs(then: (theme: Theme) => void): () => void {
  const listener = (event: StorageEvent) => {
    // A null key: all of the storage was cleared.
    if (event.key === KEY || event.key === null) then(themeOf(event.key === null ? null : event.newValue));
  };
  window.addEventListener("storage", listener);
  return () => window.removeEventListener("storage", listener);
}

function show(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
}

function shownTheme(): Theme {
  return themeOf(document.documentElement.dataset.theme ?? null);
}

function themeOf(stored: string | null): Theme {
  return stored === "light" || stored === "dark" ? stored : "system";
}

function keep(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Storage is blocked or full: the choice lasts as long as the page.
  }
}
