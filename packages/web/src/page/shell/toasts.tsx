/** Short messages over the page. */
import type { JSX } from "preact";

import { IconButton } from "../parts/icon.tsx";
import { dismiss, toasts } from "../store/toasts.ts";

export function Toasts(): JSX.Element {
	return (
		<div class="toasts" role="status" aria-live="polite">
			{toasts.value.map(({ id, level, text }) => (
				<div key={id} class={`toast toast-${level}`}>
					<span>{text}</span>
					<IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
				</div>
			))}
		</div>
	);
}
