/** Shows the commands that the user types after `!`, and the cells after `$`, while the session runs them. */
import type { CellLanguage, SessionHost } from "@tau/session/host";

import type { ConversationView } from "./conversation-view.ts";
import { UserCommandView } from "./views/user-command.ts";
import type { ViewContext } from "./views/view-context.ts";

export interface UserCommandsParts {
	viewContext: ViewContext;
	view: ConversationView;
	host: Pick<SessionHost, "cell" | "shell">;
	/** A command has ended: files may have changed. */
	onEnd(): void;
}

export class UserCommands {
	readonly #parts: UserCommandsParts;

	constructor(parts: UserCommandsParts) {
		this.#parts = parts;
	}

	/** `isPrivate`: the model does not see it. Resolves when it has ended, however that was. */
	async run(command: string, isPrivate: boolean, language?: CellLanguage): Promise<void> {
		const { viewContext, view, host, onEnd } = this.#parts;
		const block = new UserCommandView(viewContext, { command, isPrivate, language });
		view.add(block);
		const started = viewContext.animation.now();
		const options = { isPrivate, onOutput: (text: string) => block.show(text) };
		const outcome = await (language === undefined
			? host.shell(command, options)
			: host.cell(command, { ...options, language }));
		block.finish({ ...outcome, tookMs: viewContext.animation.now() - started });
		onEnd();
	}
}
