import { Lexer, type Token, type TokensList } from "marked";

// Deeper than anybody writes. Each level costs stack, and looking at all that is in it once more.
const DEEPEST = 10;

/** What is nested too deeply stays the text that it is. A list turns its `text` into a paragraph and keeps its tokens. */
function asText(src: string): Token {
  return { type: "text", raw: src, text: src, tokens: [{ type: "text", raw: src, text: src }] };
}

class ShallowLexer extends Lexer {
  #blocks = 0;
  #spans = 0;

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    if (this.#blocks > DEEPEST) {
      tokens.push(asText(src));
      return tokens;
    }
    this.#blocks += 1;
    super.blockTokens(src, tokens, lastParagraphClipped);
    this.#blocks -= 1;
    return tokens;
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (this.#spans > DEEPEST) {
      tokens.push(asText(src));
      return tokens;
    }
    this.#spans += 1;
    super.inlineTokens(src, tokens);
    this.#spans -= 1;
    return tokens;
  }
}

/** The blocks of a text, without what is in their lines. */
export function blocksIn(text: string): Token[] {
  return new ShallowLexer({ gfm: true }).blockTokens(text, []);
}

/** A text as it is drawn. */
export function lexed(text: string): Token[] {
  return new ShallowLexer({ gfm: true }).lex(text);
}
