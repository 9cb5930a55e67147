/** "think about X": shows what streamed thinking looks like, and does not pretend that it is any. */
import { fill } from "@tau/utils";

import type { Intent } from "../intent.ts";
import { sentence } from "../markdown.ts";
import { say, type Step } from "../step.ts";
import thinking from "../texts/think.md" with { type: "text" };
import thought from "../texts/thought.md" with { type: "text" };

export function thinkAbout({ about }: Extract<Intent, { kind: "think" }>): Step {
	const words = about.split(/\s+/).length;
	const topic = sentence(about);
	return [
		{ kind: "thinking", text: fill(thinking, { topic, words: String(words) }), always: true },
		say(fill(thought, { topic })),
	];
}
