/** What a program has printed, with its colors. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { limits } from "../limits.ts";
import { ansiSpans } from "./ansi.ts";

/** Of long output, the end is shown, which says how it went. `isPlain`: it is a sentence and not the output of a program. */
export function Output({ text, isPlain = false }: { text: string; isPlain?: boolean }): JSX.Element {
	const [isWhole, setWhole] = useState(false);
	const tail = isWhole ? text : endOf(text);
	const hidden = text.length - tail.length;
	return (
		<div class={isPlain ? "sentence" : "output"}>
			{hidden > 0 && (
				<button type="button" class="link" onClick={() => setWhole(true)}>
					Show {text.slice(0, hidden).split("\n").length - 1 || "the"} earlier lines
				</button>
			)}
			<pre tabIndex={isPlain ? undefined : 0}>
				<AnsiText text={tail} />
			</pre>
		</div>
	);
}

export function AnsiText({ text }: { text: string }): JSX.Element {
	return (
		<>
			{ansiSpans(text).map(({ text: piece, classes, color, background }, at) =>
				classes.length === 0 && !color && !background ? (
					piece
				) : (
					<span
						key={at}
						class={classes.join(" ")}
						style={{ ...(color ? { color } : {}), ...(background ? { background } : {}) }}
					>
						{piece}
					</span>
				),
			)}
		</>
	);
}

function endOf(text: string): string {
	let start = Math.max(0, text.length - limits.outputChars);
	let at = text.length;
	for (let lines = 0; lines < limits.outputLines && at > start; lines++) at = text.lastIndexOf("\n", at - 1);
	start = Math.max(start, at + 1);
	return start <= 1 ? text : text.slice(start);
}
