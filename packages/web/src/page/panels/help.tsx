/** The keys of the page, and how to write in the composer. */
import type { JSX } from "preact";

import { Dialog } from "../parts/dialog.tsx";
import { IconButton } from "../parts/icon.tsx";
import { globalKeys } from "../shell/keys.ts";
import { overlay } from "../store/overlay.ts";

const composerKeys = [
	["Enter", "Send; while the model works, steer it"],
	["Alt+Enter", "Queue a follow-up"],
	["Shift+Enter", "New line"],
	["↑ / ↓", "Earlier prompts"],
	["/", "Commands of the session"],
	["@", "Files of the project"],
	["! / !!", "Run a shell command; !! keeps it from the model"],
	["$ / $$", "Run a Python cell"],
	["1 – 9", "Choose an answer to a question"],
] as const;

export function HelpPanel(): JSX.Element {
	const close = (): void => void (overlay.value = undefined);
	return (
		<Dialog label="Keys" class="help" onClose={close}>
			<header class="panel-head">
				<h2>Keys</h2>
				<IconButton icon="close" label="Close" onClick={close} />
			</header>
			<div class="help-columns">
				<Keys title="Everywhere" rows={globalKeys.map(({ keys, does }) => [keys, does])} />
				<Keys title="In the composer" rows={composerKeys} />
			</div>
		</Dialog>
	);
}

function Keys({ title, rows }: { title: string; rows: readonly (readonly [string, string])[] }): JSX.Element {
	return (
		<section>
			<h3>{title}</h3>
			<dl class="keys">
				{rows.map(([keys, does]) => (
					<div key={keys}>
						<dt>
							<kbd>{keys}</kbd>
						</dt>
						<dd>{does}</dd>
					</div>
				))}
			</dl>
		</section>
	);
}
