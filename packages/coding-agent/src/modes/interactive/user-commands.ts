/** Shows the commands that the user types after `!` while the session runs them. */
import type { SessionHost } from "@tau/session/host";

import type { ConversationView } from "./conversation-view.ts";
import { PersonCommandView } from "./views/person-command.ts";
import type { Stage } from "./views/stage.ts";

export interface UserCommandsParts {
	stage: Stage;
	view: ConversationView;
	host: Pick<SessionHost, "shell">;
	/** A command has ended: files may have changed. */
	onEnd(): void;
}

export class UserCommands {
	readonly #parts: UserCommandsParts;

	constructor(parts: UserCommandsParts) {
		this.#parts = parts;
	}

	/** `isPrivate`: the model does not see it. Resolves when it has ended, however that was. */
	async run(command: string, isPrivate: boolean): Promise<void> {
		const { stage, view, host, onEnd } = this.#parts;
		const block = new PersonCommandView(stage, command, isPrivate);
		view.add(block);
		const started = stage.pulse.now();
		const { output, exitCode, cancelled } = await host.shell(command, {
			isPrivate,
			onOutput: (text) => block.show(text),
		});
		block.finish({ output, exitCode, cancelled, tookMs: stage.pulse.now() - started });
		onEnd();
	}
}
