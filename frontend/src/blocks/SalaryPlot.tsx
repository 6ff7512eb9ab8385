import { texts } from "../texts";
import type { BlockOf } from "./block";
import { money } from "./format";
import { type Plot, plotOf } from "./plot";
import styles from "./SalaryPlot.module.css";

const ABOVE = 22;
const BOX = 30;
const FIGURE = 9;
const AXIS = 26;

/** The range as a box over an axis: the middle half filled, the middle marked, single postings as lines below. */
export function SalaryPlot({ pay, label }: { pay: BlockOf<"salary_range">; label: string }) {
  const plot = plotOf(pay);
  if (plot === null) return null;
  const boxed = Object.keys(plot.marks).length > 0;
  const box = boxed ? BOX : 0;
  const figures = plot.figures.length > 0 ? plot.figures.length * FIGURE + 6 : 0;
  const above = plot.asked ? ABOVE : 4;
  const floor = above + box + figures;
  return (
    <svg className={styles.plot} width="100%" height={floor + AXIS} role="img" aria-label={label}>
      <Axis plot={plot} top={above} floor={floor} currency={pay.currency} />
      {boxed && <Box plot={plot} top={above} />}
      {plot.figures.map(({ low, high }, index) => {
        const y = above + box + 8 + index * FIGURE;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: figures never change place
          <g key={index} className={styles.figure}>
            <line x1={at(low)} x2={at(high)} y1={y} y2={y} />
            <circle cx={at(low)} cy={y} r={2.5} />
            <circle cx={at(high)} cy={y} r={2.5} />
          </g>
        );
      })}
      {plot.asked && <Asked plot={plot} floor={floor} value={money(pay.asked ?? 0, pay.currency, "short")} />}
    </svg>
  );
}

function Axis({ plot, top, floor, currency }: { plot: Plot; top: number; floor: number; currency: string }) {
  return (
    <g className={styles.axis}>
      <line x1="0%" x2="100%" y1={floor} y2={floor} />
      {plot.ticks.map((tick) => (
        <g key={tick.value}>
          <line className={styles.grid} x1={at(tick.at)} x2={at(tick.at)} y1={top} y2={floor + 4} />
          <text x={at(tick.at)} y={floor + 18} textAnchor="middle">
            {money(tick.value, currency, "short")}
          </text>
        </g>
      ))}
    </g>
  );
}

function Box({ plot, top }: { plot: Plot; top: number }) {
  const { p10, p25, p50, p75, p90 } = plot.marks;
  const middle = top + BOX / 2;
  const low = p10 ?? p25;
  const high = p90 ?? p75;
  return (
    <g className={styles.box}>
      {low !== undefined && high !== undefined && <line x1={at(low)} x2={at(high)} y1={middle} y2={middle} />}
      {[p10, p90].map(
        (end, index) =>
          end !== undefined && (
            <line
              key={index === 0 ? "p10" : "p90"}
              x1={at(end)}
              x2={at(end)}
              y1={middle - 6}
              y2={middle + 6}
            />
          ),
      )}
      {p25 !== undefined && p75 !== undefined && (
        <rect
          x={at(Math.min(p25, p75))}
          width={at(Math.abs(p75 - p25))}
          y={top + 3}
          height={BOX - 6}
          rx={4}
        />
      )}
      {p50 !== undefined && (
        <line className={styles.median} x1={at(p50)} x2={at(p50)} y1={top + 1} y2={top + BOX - 1} />
      )}
    </g>
  );
}

function Asked({ plot, floor, value }: { plot: Plot; floor: number; value: string }) {
  if (plot.asked === null) return null;
  const { at: x, beyond } = plot.asked;
  return (
    <g className={styles.asked}>
      <line x1={at(x)} x2={at(x)} y1={18} y2={floor} />
      <text x={at(x)} y={13} textAnchor={anchor(x)}>
        {beyond && x < 50 && "◂ "}
        {texts.blocks.pay.askedMark(value)}
        {beyond && x > 50 && " ▸"}
      </text>
    </g>
  );
}

function at(percent: number): string {
  return `${percent}%`;
}

/** Labels near an edge stay inside of it. */
function anchor(x: number): "start" | "middle" | "end" {
  return x < 25 ? "start" : x > 75 ? "end" : "middle";
}
