import { Popover } from "@base-ui/react/popover";
import { type ReactNode, useRef } from "react";
import { IconButton } from "./Button";
import { MoreIcon } from "./icons";
import styles from "./MoreMenu.module.css";

export interface MenuChoice {
  readonly label: string;
  readonly icon: ReactNode;
  readonly danger?: boolean;
  /** It moves the focus by itself, which otherwise goes back to the button. */
  readonly movesFocus?: boolean;
  readonly onChoose: () => void;
}

/** A button with three dots that shows what else can be done. Choosing closes it. */
export function MoreMenu({
  label,
  choices,
  className,
  testId,
}: {
  label: string;
  choices: readonly MenuChoice[];
  className?: string | undefined;
  testId?: string;
}) {
  const chosen = useRef<MenuChoice | null>(null);
  return (
    <Popover.Root
      onOpenChange={(open) => {
        if (open) chosen.current = null;
      }}
    >
      <Popover.Trigger render={<IconButton label={label} className={className} data-testid={testId} />}>
        <MoreIcon />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner align="end" sideOffset={4} collisionPadding={8} className={styles.positioner}>
          <Popover.Popup
            className={styles.popup}
            aria-label={label}
            finalFocus={() => !chosen.current?.movesFocus}
          >
            {choices.map((choice) => (
              <Popover.Close
                key={choice.label}
                className={choice.danger ? `${styles.item} ${styles.danger}` : styles.item}
                onClick={() => {
                  chosen.current = choice;
                  choice.onChoose();
                }}
              >
                {choice.icon}
                {choice.label}
              </Popover.Close>
            ))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
