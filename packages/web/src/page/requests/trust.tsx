/** May code of this project run? */
import { showControls } from "@tau/utils/portable";
import type { UserRequestOf } from "@tau/wire";
import type { JSX } from "preact";

import type { Answer } from "./request-dock.tsx";

export function TrustRequest({
	request,
	answer,
}: {
	request: UserRequestOf<"trust">;
	answer: Answer;
}): JSX.Element {
	const { project, runs } = request;
	return (
		<div class="trust">
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
				<button type="button" onClick={() => answer({ trusted: true, remember: true })}>
					Trust
				</button>
				<button type="button" onClick={() => answer({ trusted: true, remember: false })}>
					Only this time
				</button>
				<button type="button" onClick={() => answer({ trusted: false, remember: false })}>
					Do not trust
				</button>
			</div>
		</div>
	);
}
