/** Runs the commands that the user types after `!`, and the cells after `$`; events show them. */
import type { SessionClient } from "@tau/wire";

export class UserCommands {
	readonly #client: Pick<SessionClient, "request">;

	constructor(client: Pick<SessionClient, "request">) {
		this.#client = client;
	}

	/** `isPrivate`: the model does not see it. Resolves when it has ended, however that was; rejects if it cannot run. */
	async run(command: string, isPrivate: boolean, language?: "python" | "js"): Promise<void> {
		const excludeFromContext = isPrivate;
		if (language === undefined) await this.#client.request("bash", { command, excludeFromContext });
		else await this.#client.request("cell", { code: command, language, excludeFromContext });
	}
}
