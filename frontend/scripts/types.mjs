/** Writes client/src/events.gen.ts from docs/events.schema.json; `--check` only says whether it is up to date. */

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const root = new URL("..", import.meta.url);
const source = new URL("../docs/events.schema.json", root);
const target = new URL("client/src/events.gen.ts", root);

const BANNER = `/**
 * The event contract as the server sends it. Generated from docs/events.schema.json by frontend/scripts/types.mjs:
 * do not edit, run \`npm run types\` in frontend/.
 */
`;

/** A property as the generator should see it: titles would become aliases, defaults would become optional. */
function property(schema) {
  const { title: _title, default: _default, ...rest } = schema;
  // Numbers with bounds and texts with patterns are numbers and texts to TypeScript.
  if (rest.type === "object" && rest.properties === undefined) return { tsType: "Record<string, unknown>" };
  if (rest.items !== undefined) return { ...rest, items: property(rest.items) };
  if (rest.anyOf !== undefined) return { ...rest, anyOf: rest.anyOf.map(property) };
  return rest;
}

function definition(schema) {
  const properties = Object.entries(schema.properties).map(([name, value]) => [name, property(value)]);
  return {
    ...schema,
    ...(schema.description && { description: schema.description.replaceAll("``", "`") }),
    properties: Object.fromEntries(properties),
    // The server sends what has a default, too.
    required: Object.keys(schema.properties),
    additionalProperties: false,
  };
}

async function generated() {
  const schema = JSON.parse(await readFile(source, "utf8"));
  const names = Object.keys(schema.$defs).sort();
  const $defs = Object.fromEntries(names.map((name) => [name, definition(schema.$defs[name])]));
  const { discriminator: _discriminator, ...union } = schema;
  const text = await compile({ ...union, $defs }, schema.title, {
    bannerComment: BANNER,
    additionalProperties: false,
    unreachableDefinitions: true,
    format: true,
    style: { printWidth: 110 },
  });
  // What a client gets is for reading: reducers and components share it.
  const types = text
    .replaceAll(/^ {2}(?=\w+\??: )/gm, "  readonly ")
    .replaceAll(/^( {2}readonly \w+: )(.+\[\];)$/gm, "$1readonly $2");
  return types + typeNames(schema);
}

/** The names by which the events are told apart, as values: in the order of the contract. */
function typeNames({ oneOf, $defs }) {
  const names = oneOf.map(({ $ref }) => $defs[$ref.split("/").at(-1)].properties.type.const);
  const lines = names.map((name) => `  ${JSON.stringify(name)},\n`).join("");
  return `\n/** Every \`type\` there is. */\nexport const EVENT_TYPES = [\n${lines}] as const satisfies readonly SignalboxEvent["type"][];\n`;
}

const wanted = await generated();
if (process.argv.includes("--check")) {
  const found = await readFile(target, "utf8").catch(() => "");
  if (found !== wanted) {
    process.stderr.write(
      `${fileURLToPath(target)} does not match the contract: run \`npm run types\` in frontend/ and commit it.\n`,
    );
    process.exit(1);
  }
} else {
  await writeFile(target, wanted);
}
