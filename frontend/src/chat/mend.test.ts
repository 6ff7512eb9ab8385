import { expect, it } from "vitest";
import { mend } from "./mend";

it.each([
  ["an open bold is closed", "This is **bo", "This is **bo**"],
  ["a bold that has only begun is held back", "This is **", "This is "],
  ["a closed bold stays", "This is **bold**", "This is **bold**"],
  ["a space before the closing mark is left out", "This is **bold ", "This is **bold**"],
  ["an open code span is closed", "Call `run(", "Call `run(`"],
  ["a link's label is shown until its address is whole", "See [the post](https://exa", "See the post"],
  ["a link's title is waited for, too", 'See [it](https://a.example "Ti', "See it"],
  ["a label without its end is text", "See [the po", "See the po"],
  ["a whole link stays", "See [it](https://a.example)", "See [it](https://a.example)"],
  ["a picture is its words", "![a cat](https://exa", "a cat"],
  ["a citation's mark stays", "Pay rose [3]", "Pay rose [3]"],
  ["a line that may underline a heading is held back", "Title\n--", "Title\n"],
  ["a list item without words is held back", "Items:\n\n1.", "Items:\n\n"],
  ["a heading without words is held back", "##", ""],
  ["a table is held back until its second line is whole", "| a | b |\n|--", ""],
  ["a table with both lines stays", "| a | b |\n|---|---|", "| a | b |\n|---|---|"],
  ["an asterisk in arithmetic is left alone", "2 * 3 = 6", "2 * 3 = 6"],
  ["plain text stays", "Nothing to do.", "Nothing to do."],
])("%s", (_, text, whole) => {
  expect(mend(text)).toBe(whole);
});
