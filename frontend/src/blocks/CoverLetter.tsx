import { inert, line } from "../safe/inert";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { download } from "../ui/download";
import { type BlockProps, useKept } from "./block";
import { Blanks, Body, Evidence, Marked } from "./Draft";
import { fileName, filled, open, type Values, words as wordsIn } from "./drafts";
import { Chip, Frame, Plain } from "./parts";
import shared from "./parts.module.css";

/** A letter: its text with the blanks filled in as far as they are, to copy or to keep as a file. */
export function CoverLetter({ block, id }: BlockProps<"cover_letter">) {
  const words = texts.blocks.letter;
  const [values, setValues] = useKept<Values>(`${id}/values`, {});
  const body = inert(block.body);
  const blanks = open(block.placeholders, body);
  const text = () => filled(body, blanks, values);
  const title = line(block.title, 200) || words.kinds[block.kind] || words.kinds.letter;
  return (
    <Frame
      type="cover_letter"
      title={<Plain text={title} />}
      note={[words.kinds[block.kind], words.tones[block.tone], words.words(wordsIn(text()))]
        .filter(Boolean)
        .join(" · ")}
    >
      {block.question && (
        <p className={shared.small}>
          {words.question} <Plain text={block.question} limit={500} />
        </p>
      )}
      <Body>
        <Marked text={body} blanks={blanks} values={values} />
      </Body>
      <Blanks blanks={blanks} values={values} onChange={setValues} />
      <div className={shared.bar}>
        <CopyButton worded text={text} />
        <Button small onClick={() => download(fileName(title), text(), "text/plain;charset=utf-8")}>
          {words.download}
        </Button>
      </div>
      <LeftOut skills={block.left_out} />
      <Evidence evidence={block.evidence} />
    </Frame>
  );
}

function LeftOut({ skills }: { skills: readonly string[] }) {
  if (skills.length === 0) return null;
  return (
    <div>
      <p className={shared.label}>{texts.blocks.letter.leftOut}</p>
      <ul className={shared.chips}>
        {[...new Set(skills)].map((skill) => (
          <li key={skill}>
            <Chip mark="○">
              <Plain text={skill} limit={60} />
            </Chip>
          </li>
        ))}
      </ul>
    </div>
  );
}
