import type { KnowledgePassage } from "@signalbox/client";
import { inert } from "../safe/inert";
import { texts } from "../texts";
import type { BlockProps } from "./block";
import { keyed } from "./keyed";
import { Collapsed, Frame, Notice, OnDemand, Plain, Prose } from "./parts";
import shared from "./parts.module.css";
import { SourceLine } from "./SourceLine";

const FEW = 3;
const SHORT = 280;

/** The passages an answer rests on. */
export function Knowledge({ block }: BlockProps<"knowledge">) {
  const words = texts.blocks.knowledge;
  return (
    <Frame type="knowledge" title={words.title(block.passages.length)}>
      {block.passages.length === 0 && (
        <Notice tone="plain" mark="○">
          {words.none}
        </Notice>
      )}
      <Collapsed items={block.passages} few={FEW}>
        {(shown) => (
          <ol className={shared.rows}>
            {keyed(shown, (p) => p.passage_id).map(({ key, item: passage }) => (
              <Passage key={key} passage={passage} />
            ))}
          </ol>
        )}
      </Collapsed>
    </Frame>
  );
}

function Passage({ passage }: { passage: KnowledgePassage }) {
  const text = inert(passage.text);
  return (
    <li>
      <strong>
        <Plain text={passage.heading || passage.title} limit={200} />
      </strong>
      <SourceLine
        title={passage.heading ? passage.title : ""}
        source={passage.source}
        url={passage.url}
        as_of={passage.as_of}
      />
      {text.length <= SHORT ? (
        <Prose text={text} />
      ) : (
        <OnDemand label={texts.blocks.knowledge.read}>
          <Prose text={text} />
        </OnDemand>
      )}
    </li>
  );
}
