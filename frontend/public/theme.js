// Before anything is painted: the colours the user chose here, if other than the system's.
try {
  const theme = localStorage.getItem("signalbox.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the system's colours will do.
}
