import { type ChangeEvent, useId } from "react";
import { texts } from "../../texts";
import { Button, IconButton } from "../../ui/Button";
import { CloseIcon } from "../../ui/icons";
import styles from "./approval.module.css";
import type { Draft, Problem } from "./fields";

interface FieldProps {
  draft: Draft;
  label: string;
  problem: Problem | null;
  disabled: boolean;
  onChange: (draft: Draft) => void;
}

/** One argument under edit, as its kind asks for it. */
export function Field(props: FieldProps) {
  const { draft, label, problem, disabled, onChange } = props;
  const id = useId();
  if (draft.kind === "list") return <ListField {...props} />;
  if (draft.kind === "boolean") {
    return (
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={draft.checked}
          disabled={disabled}
          onChange={(event) => onChange({ ...draft, checked: event.target.checked })}
        />
        {label}
      </label>
    );
  }
  const common = {
    id,
    // Not disabled: what was written can still be copied.
    readOnly: disabled,
    value: draft.text,
    "aria-invalid": problem !== null,
    "aria-describedby": problem === null ? undefined : `${id}-problem`,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange({ ...draft, text: event.target.value }),
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {draft.kind === "text" || draft.kind === "json" ? (
        <textarea
          {...common}
          dir={draft.kind === "json" ? "ltr" : "auto"}
          className={draft.kind === "json" ? styles.code : undefined}
          spellCheck={draft.kind === "text"}
          rows={rowsOf(draft.text)}
        />
      ) : (
        <input
          {...common}
          type="text"
          dir="auto"
          inputMode={draft.kind === "number" ? "decimal" : "text"}
          placeholder={draft.none ? texts.panels.approval.none : undefined}
          autoComplete="off"
        />
      )}
      <Told id={`${id}-problem`} problem={problem} />
    </div>
  );
}

function ListField({ draft, label, problem, disabled, onChange }: FieldProps) {
  const t = texts.panels.approval;
  const items = draft.items.length === 0 ? [""] : draft.items;
  const put = (next: readonly string[]) => onChange({ ...draft, items: next });
  const id = useId();
  return (
    <fieldset className={styles.field} aria-describedby={problem === null ? undefined : id}>
      <legend>{label}</legend>
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place; its text changes with each letter
        <div className={styles.item} key={at}>
          <input
            type="text"
            dir="auto"
            autoComplete="off"
            aria-label={t.item(label, at + 1)}
            aria-invalid={problem !== null}
            value={item}
            readOnly={disabled}
            onChange={(event) => put(items.with(at, event.target.value))}
          />
          <IconButton
            label={t.removeItem(label, at + 1)}
            disabled={disabled || items.length === 1}
            onClick={() => put(items.filter((_, other) => other !== at))}
          >
            <CloseIcon />
          </IconButton>
        </div>
      ))}
      <Told id={id} problem={problem} />
      <Button small disabled={disabled} onClick={() => put([...items, ""])}>
        {t.addItem(label)}
      </Button>
    </fieldset>
  );
}

function Told({ id, problem }: { id: string; problem: Problem | null }) {
  if (problem === null) return null;
  return (
    <p className={styles.problem} id={id}>
      {texts.panels.approval.problems[problem]}
    </p>
  );
}

function rowsOf(text: string): number {
  return Math.min(16, Math.max(4, text.split("\n").length + 1));
}
