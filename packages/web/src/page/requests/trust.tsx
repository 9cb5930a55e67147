/** May code of this project run? */
import { showControls } from "@tau/utils/portable";
import type { UserRequestOf } from "@tau/wire";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";

import type { Answer } from "./request-dock.tsx";
import { useNumberKeys } from "./use-number-keys.ts";

const choices = [
	{ label: "Trust", answer: { trusted: true, remember: true } },
	{ label: "Only this time", answer: { trusted: true, remember: false } },
	{ label: "Do not trust", answer: { trusted: false, remember: false } },
] as const;

export function TrustRequest({
	request,
	answer,
}: {
	request: UserRequestOf<"trust">;
	answer: Answer;
}): JSX.Element {
	const { project, runs } = request;
	const whole = useRef<HTMLDivElement>(null);
	useNumberKeys(whole, (at) => {
		const choice = choices[at];
		if (choice) answer(choice.answer);
	});
	return (
		<div class="trust" ref={whole}>
			<h2>Trust the code of this project?</h2>
			<p>
				<code>{showControls(project)}</code> has files that would run:
			</p>
			<ul class="approval-body">
				{runs.map(({ path, kind, commands = [] }) => (
					<li key={path}>
						<code>{showControls(path)}</code> {kind !== undefined && <span class="tag">{kind}</span>}
						{commands.map((command) => (
							<pre key={command}>{showControls(command)}</pre>
						))}
					</li>
				))}
			</ul>
			<div class="choices">
				{choices.map((choice, at) => (
					<button key={choice.label} type="button" class="choice" onClick={() => answer(choice.answer)}>
						<kbd>{at + 1}</kbd> <span>{choice.label}</span>
					</button>
				))}
			</div>
		</div>
	);
}
