/** The output of commands in terminals of a client. The commands run in Tau's own shell and sandbox. */
import { ShownOutput } from "@tau/sys";
import { cutUnits, isRecord, log } from "@tau/utils";

import type { CallResult } from "./calls.ts";
import { limits } from "./limits.ts";

/** The new part of an output that is reported whole each time. */
export class NewOutput {
	#text = "";

	next(result: CallResult): string {
		const before = this.#text;
		this.#text = cutUnits(textOf(result), limits.outputChars);
		if (this.#text.startsWith(before)) return this.#text.slice(before.length);
		// Of a long output only the end is known: it continues where the last words of before are.
		const last = before.slice(-limits.overlapChars);
		const at = this.#text.lastIndexOf(last);
		return at < 0 ? this.#text : this.#text.slice(at + last.length);
	}
}

/** A terminal of the client; disposing of it leaves what it shows. */
export interface OpenTerminal extends AsyncDisposable {
	readonly id: string;
	/** Resolves when what runs in it has ended. */
	ended(signal: AbortSignal): Promise<unknown>;
}

/** Opens a terminal of the client that runs a program. */
export type OpenTerminals = (
	program: { command: string; args: string[] },
	cwd: string,
) => Promise<OpenTerminal>;

/** A command whose output is shown, or will be as soon as the client has opened a terminal for it. */
interface Shown {
	readonly news: NewOutput;
	latest: CallResult;
	opened?: { readonly terminal: OpenTerminal; readonly output: ShownOutput; readonly owned: AsyncDisposable };
	isOver?: true;
}

/** Opens a terminal with the first output of each command: one that the user refuses needs none. */
export class ShownCommands {
	readonly #open: OpenTerminals;
	readonly #onOpen: (callId: string, terminalId: string) => void;
	readonly #commands = new Map<string, Shown>();

	constructor(open: OpenTerminals, onOpen: (callId: string, terminalId: string) => void) {
		this.#open = open;
		this.#onOpen = onOpen;
	}

	/** The id of the terminal that shows it; undefined where there is none yet. */
	output(id: string, result: CallResult, cwd: string): string | undefined {
		const known = this.#commands.get(id);
		if (known) known.latest = result;
		else this.#show(id, result, cwd);
		return known && write(known);
	}

	end(id: string, result: CallResult, exitCode: number): string | undefined {
		const known = this.#commands.get(id);
		this.#commands.delete(id);
		if (!known) return undefined;
		Object.assign(known, { isOver: true, latest: result });
		const terminalId = write(known);
		known.opened?.output.end(exitCode);
		void this.#release(known);
		return terminalId;
	}

	#show(id: string, latest: CallResult, cwd: string): void {
		const command: Shown = { news: new NewOutput(), latest };
		this.#commands.set(id, command);
		const opening = async (): Promise<void> => {
			await using owned = new AsyncDisposableStack();
			const output = owned.use(await ShownOutput.open());
			const terminal = owned.use(await this.#open(output.program, cwd));
			// The command has ended meanwhile, and its output was sent as text.
			if (command.isOver) return;
			command.opened = { terminal, output, owned: owned.move() };
			write(command);
			this.#onOpen(id, terminal.id);
		};
		opening().catch((error: unknown) => log.info("the client opened no terminal", { reason: String(error) }));
	}

	/** When it has shown everything; what it shows stays. */
	async #release({ opened }: Shown): Promise<void> {
		if (!opened) return;
		try {
			await using _ = opened.owned;
			await opened.terminal.ended(AbortSignal.timeout(limits.terminalMs));
		} catch (error) {
			log.info("a terminal of the client did not end", { reason: String(error) });
		}
	}
}

function write({ news, latest, opened }: Shown): string | undefined {
	opened?.output.write(news.next(latest));
	return opened?.terminal.id;
}

/** As a terminal shows it. */
export function exitCodeOf({ details }: CallResult, isError: boolean): number {
	const known = isRecord(details) ? details.exitCode : undefined;
	return typeof known === "number" ? known : Number(isError);
}

function textOf({ content }: CallResult): string {
	return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
