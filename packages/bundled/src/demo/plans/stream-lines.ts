/** "stream N lines": sample markdown for looking at how Tau shows it. */
import { fill } from "@tau/utils";

import type { Intent } from "../intent.ts";
import { limits } from "../limits.ts";
import { plural } from "../markdown.ts";
import { type Piece, say, type Step } from "../step.ts";
import fewerLines from "../texts/fewer-lines.md" with { type: "text" };
import noLines from "../texts/no-lines.md" with { type: "text" };

export function streamLines({ lines }: Extract<Intent, { kind: "stream" }>): Step {
	if (lines === 0) return [say(fill(noLines))];
	const sample: Piece = { kind: "sample", lines: Math.min(lines, limits.sampleLines) };
	if (lines <= limits.sampleLines) return [sample];
	return [say(fill(fewerLines, { limit: plural(limits.sampleLines, "line") })), sample];
}
