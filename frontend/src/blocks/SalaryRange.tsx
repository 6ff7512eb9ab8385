import { line } from "../safe/inert";
import { SafeLink } from "../safe/SafeLink";
import { texts } from "../texts";
import type { BlockOf, BlockProps } from "./block";
import { absolute, day, finite, money, pay as payText, percent, period, sourceName } from "./format";
import { Frame, Notice, OnDemand, Plain, SampleMark } from "./parts";
import shared from "./parts.module.css";
import { SalaryPlot } from "./SalaryPlot";
import styles from "./SalaryRange.module.css";

type Pay = BlockOf<"salary_range">;

const PERCENTILES = ["p10", "p25", "p50", "p75", "p90"] as const;

/** What a role pays: the range drawn and in figures, what it rests on, and what makes it doubtful. */
export function SalaryRange({ block }: BlockProps<"salary_range">) {
  const words = texts.blocks.pay;
  const known = PERCENTILES.some((name) => finite(block[name]) !== null);
  return (
    <Frame
      type="salary_range"
      title={
        <>
          {words.title} <Plain text={block.occupation || block.role} limit={120} />
          {block.location && (
            <>
              , <Plain text={block.location} limit={80} />
            </>
          )}
        </>
      }
      mark={block.sample && <SampleMark />}
      note={basis(block)}
    >
      <Warnings block={block} />
      {!known && block.figures.length === 0 && (
        <Notice tone="plain" mark="○">
          {words.none}
        </Notice>
      )}
      <SalaryPlot pay={block} label={summary(block)} />
      {known && <Percentiles block={block} />}
      <Judged block={block} />
      <Figures block={block} />
      <Method block={block} />
    </Frame>
  );
}

function basis(block: Pay): string {
  const words = texts.blocks.pay;
  const from = block.basis === "postings" ? words.ofPostings(block.n) : words.ofPeople(block.n);
  return words.basis(line(block.currency, 12), period(block.period), from);
}

/** The plot in words, for who cannot see it. */
function summary(block: Pay): string {
  const words = texts.blocks.pay;
  const said = PERCENTILES.flatMap((name) => {
    const value = finite(block[name]);
    return value === null ? [] : [`${words.percentiles[name]} ${money(value, block.currency)}`];
  });
  const asked = finite(block.asked);
  if (asked !== null) said.push(words.askedMark(money(asked, block.currency)));
  return said.length > 0 ? words.summary(said.join(", ")) : words.summaryOfFigures(block.figures.length);
}

function Warnings({ block }: { block: Pay }) {
  const words = texts.blocks.pay;
  const wider = block.asked_location && block.asked_location !== block.location;
  return (
    <>
      {block.small_sample && (
        <Notice tone="warn" mark="!">
          {words.smallSample(block.n)}
        </Notice>
      )}
      {wider && (
        <Notice tone="plain" mark="i">
          {words.wider} <Plain text={block.asked_location} limit={80} />
          {". "}
          {block.location ? (
            <>
              {words.insteadOf} <Plain text={block.location} limit={80} />.
            </>
          ) : (
            words.everywhere
          )}
        </Notice>
      )}
      {block.sample && <p className={shared.small}>{texts.blocks.sampleMeans}</p>}
    </>
  );
}

function Percentiles({ block }: { block: Pay }) {
  return (
    <dl className={styles.percentiles}>
      {PERCENTILES.map((name) => {
        const value = finite(block[name]);
        return (
          <div key={name} className={name === "p50" ? styles.middle : undefined}>
            <dt>{texts.blocks.pay.percentiles[name]}</dt>
            <dd>{value === null ? "–" : money(value, block.currency)}</dd>
          </div>
        );
      })}
    </dl>
  );
}

function Judged({ block }: { block: Pay }) {
  const asked = finite(block.asked);
  const share = finite(block.asked_share);
  if (asked === null || share === null) return null;
  return (
    <p className={styles.judged}>{texts.blocks.pay.judged(percent(share), money(asked, block.currency))}</p>
  );
}

function Figures({ block }: { block: Pay }) {
  if (block.figures.length === 0) return null;
  return (
    <OnDemand label={texts.blocks.pay.figures(block.figures.length, block.n)}>
      <ul className={styles.figures}>
        {block.figures.map((figure, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: figures never change place
          <li key={index}>
            <span>
              <Plain text={figure.title} limit={120} />
              <span className={shared.small}>
                {" · "}
                <Plain text={figure.company} limit={80} />
              </span>
            </span>
            <span className={styles.amount}>
              {payText({ min: figure.min, max: figure.max, currency: block.currency, period: "" })}
            </span>
          </li>
        ))}
      </ul>
    </OnDemand>
  );
}

function Method({ block }: { block: Pay }) {
  const words = texts.blocks.pay;
  const until = day(block.date_to);
  const from = day(block.date_from);
  return (
    <p className={shared.small}>
      {words.source}{" "}
      <SafeLink href={block.url}>
        <Plain text={sourceName(block.source) || words.postings} limit={120} />
      </SafeLink>
      {until &&
        `, ${from && from.getTime() !== until.getTime() ? `${absolute(from)} – ` : ""}${absolute(until)}`}
      {block.method && (
        <>
          {". "}
          {words.method} <Plain text={block.method} limit={400} />
        </>
      )}
      {block.converted > 0 && `. ${words.converted(block.converted)}`}
    </p>
  );
}
