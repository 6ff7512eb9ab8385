import type { ComponentPropsWithRef } from "react";
import styles from "./Button.module.css";

export type ButtonLook = "plain" | "primary" | "danger" | "quiet";

/** A button of the house. `quiet` has no border until it is pointed at; `small` is for rows of them. */
export function Button({
  look = "plain",
  small = false,
  className,
  ...rest
}: ComponentPropsWithRef<"button"> & { look?: ButtonLook; small?: boolean }) {
  const names = [styles.button, styles[look], small && styles.small, className].filter(Boolean).join(" ");
  return <button type="button" {...rest} className={names} />;
}

/** A button that shows a picture only; `label` is what it is called and what its tooltip says. */
export function IconButton({
  label,
  children,
  className,
  ...rest
}: ComponentPropsWithRef<"button"> & { label: string }) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={[styles.icon, className].filter(Boolean).join(" ")}
    >
      {children}
    </button>
  );
}
