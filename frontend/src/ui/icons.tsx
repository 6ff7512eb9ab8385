import type { ReactNode } from "react";

/** Line drawings of 20 by 20, in the colour of the text around them; what they mean is said by their button. */
function icon(drawing: ReactNode): () => ReactNode {
  return () => (
    <svg
      width="20"
      height="20"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {drawing}
    </svg>
  );
}

export const CloseIcon = icon(<path d="M5 5l10 10M15 5L5 15" />);
export const MenuIcon = icon(<path d="M3 6h14M3 10h14M3 14h14" />);
export const PlusIcon = icon(<path d="M10 4v12M4 10h12" />);
export const SendIcon = icon(<path d="M10 16V4M5 9l5-5 5 5" />);
export const StopIcon = icon(<rect x="5.5" y="5.5" width="9" height="9" rx="1.5" />);
export const CopyIcon = icon(
  <>
    <rect x="7" y="7" width="9" height="9" rx="2" />
    <path d="M13 7V5a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v6a2 2 0 0 0 2 2h2" />
  </>,
);
export const EditIcon = icon(<path d="M4 16l1-4 8-8 3 3-8 8-4 1zM11.500 5.500l3 3" />);
export const RetryIcon = icon(<path d="M16 10a6 6 0 1 1-2-4.500M16 3v4h-4" />);
export const TrashIcon = icon(<path d="M4 6h12M8 6V4h4v2M6 6l1 10h6l1-10" />);
export const SearchIcon = icon(
  <>
    <circle cx="9" cy="9" r="5" />
    <path d="M13 13l4 4" />
  </>,
);
export const UserIcon = icon(
  <>
    <circle cx="10" cy="7" r="3" />
    <path d="M4 17a6 6 0 0 1 12 0" />
  </>,
);
export const ListIcon = icon(<path d="M7 5h9M7 10h9M7 15h9M3.500 5h.01M3.500 10h.01M3.500 15h.01" />);
export const CodeIcon = icon(<path d="M7 6l-4 4 4 4M13 6l4 4-4 4" />);
export const DownIcon = icon(<path d="M5 8l5 5 5-5" />);
export const PinIcon = icon(<path d="M7.500 3h5M8 3v5l-2.500 3.500h9L12 8V3M10 11.500V17" />);
export const NoteIcon = icon(<path d="M5 3h10v14H5zM8 7h4M8 10h4M8 13h2" />);
export const CheckIcon = icon(<path d="M4 10l4 4 8-8" />);
export const LinkIcon = icon(<path d="M11 4h5v5M16 4l-7 7M14 12v4H4V6h4" />);
export const UploadIcon = icon(<path d="M10 13V4M6 8l4-4 4 4M4 16h12" />);
export const MoreIcon = icon(
  <g fill="currentColor" stroke="none">
    <circle cx="4.5" cy="10" r="1.5" />
    <circle cx="10" cy="10" r="1.5" />
    <circle cx="15.5" cy="10" r="1.5" />
  </g>,
);
export const SettingsIcon = icon(
  <>
    <path d="M3 6h8M15 6h2M3 14h2M9 14h8" />
    <circle cx="13" cy="6" r="2" />
    <circle cx="7" cy="14" r="2" />
  </>,
);
