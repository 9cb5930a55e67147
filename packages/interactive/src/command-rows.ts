/** The rows of a list that a command replies: read again when something has changed, changed by other words of the command. */
import { log, timer } from "@tau/utils";
import type { CommandReply, EventFrame } from "@tau/wire";

import type { SessionCommand } from "@tau/session-commands";
import type { InteractiveHost } from "./host.ts";
import { openSelector, type Selector } from "./selectors/open.ts";
import type { PickerScreen } from "./selectors/kit/spec.ts";
import { quietReply } from "./run-row.ts";

export interface RowsOptions {
	readonly row: SessionCommand;
	/** What it replied when the user called it. */
	readonly reply: CommandReply;
	/** The words for which the command replies the rows. */
	readonly words?: string;
	/** The events after which they may be others. */
	readonly changesWith?: readonly EventFrame["type"][];
	/** How often they are read while the list is open, where no event says that they have changed. */
	readonly everyMs?: number;
}

/** `D` is the data that the command gives its replies. */
export class CommandRows<D> implements Disposable {
	readonly #host: InteractiveHost;
	readonly #row: SessionCommand;
	readonly #words: string;
	readonly #owned = new DisposableStack();
	#reading: Promise<void> | undefined;
	#isStale = false;
	data: D;
	/** Called when the rows are others. */
	onChange: () => void = () => {};

	constructor(host: InteractiveHost, { row, reply, words = "", changesWith = [], everyMs }: RowsOptions) {
		this.#host = host;
		this.#row = row;
		this.#words = words;
		this.data = reply.data as D;
		const stale = (): void => {
			this.read().catch((error: unknown) => {
				log.debug("the rows of a list could not be read again", { name: row.name, reason: String(error) });
			});
		};
		if (changesWith.length > 0)
			this.#owned.use(
				host.client.subscribe(({ type }) => {
					if (changesWith.includes(type)) stale();
				}),
			);
		if (everyMs !== undefined) this.#owned.use(repeated(everyMs, stale));
	}

	/** Runs the command with these words; then the rows are read again. */
	async run(words: string): Promise<CommandReply> {
		const reply = await quietReply(this.#row, words, this.#host);
		await this.read();
		return reply;
	}

	/** One reading at a time; what changes meanwhile is read after it. */
	async read(): Promise<void> {
		this.#isStale = true;
		await (this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined)));
	}

	[Symbol.dispose](): void {
		this.#owned.dispose();
	}

	async #readAll(): Promise<void> {
		while (this.#isStale && !this.#owned.disposed) {
			this.#isStale = false;
			const { data } = await quietReply(this.#row, this.#words, this.#host);
			this.data = data as D;
			this.onChange();
		}
	}
}

/** Shows a list of what the command replied. */
export function openRows<D>(
	host: InteractiveHost,
	options: RowsOptions,
	make: (
		rows: CommandRows<D>,
		screen: PickerScreen,
		close: () => void,
	) => Selector["component"] & { refresh(): void },
): void {
	openSelector(host, (screen, close) => {
		const rows = new CommandRows<D>(host, options);
		const component = make(rows, screen, close);
		rows.onChange = () => component.refresh();
		return { component, owns: rows };
	});
}

function repeated(everyMs: number, act: () => void): Disposable {
	let next: Disposable;
	const again = (): void => {
		act();
		next = timer(everyMs, again);
	};
	next = timer(everyMs, again);
	return { [Symbol.dispose]: () => next[Symbol.dispose]() };
}
