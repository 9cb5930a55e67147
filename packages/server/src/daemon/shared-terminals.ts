/** The terminals of commands as requests: clients elsewhere draw their screens and send keys. */
import type { TerminalSize } from "@tau/sys";
import { onDispose, uuidv7 } from "@tau/utils";
import type { ShownScreen } from "@tau/wire";

import type { SharedViewer, ShownTerminal, UserRequests } from "@tau/session/host";

/** The bounds of terminals that are shown elsewhere. */
const limits = {
	/** How often the screen of a terminal is sent: programs redraw it many times a second. */
	screenMs: 50,
	/** What a client may make of a terminal: each cell of it is drawn and sent. */
	terminalColumns: 300,
	terminalRows: 100,
} as const;

/** Until a client says how much room it has. */
const usual: TerminalSize = { columns: 80, rows: 24 };

interface Shared {
	readonly terminal: ShownTerminal;
	size: TerminalSize;
	isOffered: boolean;
}

export class SharedTerminals implements SharedViewer {
	readonly #requests: Pick<UserRequests, "ask" | "setScreen">;
	readonly #shared = new Map<string, Shared>();
	readonly #closed = new Map<string, AbortController>();

	constructor(requests: Pick<UserRequests, "ask" | "setScreen">) {
		this.#requests = requests;
	}

	size(): TerminalSize {
		return usual;
	}

	find(id: string): Pick<ShownTerminal, "type" | "resize"> | undefined {
		const shared = this.#shared.get(id);
		if (!shared) return undefined;
		return {
			type: (bytes) => shared.terminal.type(bytes),
			resize: (size) => {
				shared.size = bounded(size);
				shared.terminal.resize(shared.size);
				this.#requests.setScreen(id, drawn(shared));
			},
		};
	}

	show(terminal: ShownTerminal): Disposable {
		const id = uuidv7();
		const shared: Shared = { terminal, size: usual, isOffered: false };
		const closed = new AbortController();
		let timer: ReturnType<typeof setTimeout> | undefined;
		terminal.screen.onChange = () => {
			timer ??= setTimeout(() => {
				timer = undefined;
				this.#requests.setScreen(id, drawn(shared));
			}, limits.screenMs);
		};
		this.#shared.set(id, shared);
		this.#closed.set(id, closed);
		this.offer();
		return onDispose(() => {
			clearTimeout(timer);
			terminal.screen.onChange = () => {};
			this.#shared.delete(id);
			this.#closed.delete(id);
			closed.abort();
		});
	}

	/** A client can show them now. When the last one has left, the next is offered those that are still open. */
	offer(): void {
		for (const [id, shared] of this.#shared) {
			if (shared.isOffered) continue;
			shared.isOffered = true;
			const { command } = shared.terminal;
			const options = { id, signal: this.#closed.get(id)?.signal };
			void this.#requests.ask("terminal", { command, screen: drawn(shared) }, options).then(() => {
				shared.isOffered = false;
			});
		}
	}
}

function drawn({ terminal: { screen }, size }: Shared): ShownScreen {
	const { rows } = screen.draw((cell) => `\x1b[7m${cell}\x1b[27m`);
	return { ...size, lines: [...rows], ...screen.modes };
}

function bounded({ columns, rows }: TerminalSize): TerminalSize {
	return {
		columns: Math.min(Math.max(columns, 2), limits.terminalColumns),
		rows: Math.min(Math.max(rows, 1), limits.terminalRows),
	};
}
