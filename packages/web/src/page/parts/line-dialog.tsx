/** Asks for one line over the page: Enter takes it, Escape leaves everything as it was. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { AskedLine } from "../store/overlay.ts";
import { Dialog } from "./dialog.tsx";
import { TextField } from "./text-field.tsx";

export function LineDialog({ asked: { title, value: before, answer } }: { asked: AskedLine }): JSX.Element {
	const [value, setValue] = useState(before);
	return (
		<Dialog label={title} class="line-dialog" onClose={() => answer()}>
			<h2>{title}</h2>
			<TextField label={title} value={value} isFirst onInput={setValue} onEnter={() => answer(value)} />
			<div class="choices">
				<button type="button" class="primary" onClick={() => answer(value)}>
					OK
				</button>
				<button type="button" onClick={() => answer()}>
					Cancel
				</button>
			</div>
		</Dialog>
	);
}
