/** The interpreters of a session: one a language, started with its first cell, restarted when it has died. */
import { envFlag, log } from "@tau/utils";

import { limits } from "./limits.ts";
import {
	Interpreter,
	type CellEnd,
	type CellEvents,
	type CellOptions,
	type FrameTrace,
} from "./interpreter.ts";
import { languageNames, type Language } from "./language-names.ts";
import { modulesOf, programOf } from "./languages.ts";
import type { ToolEnv, ServiceKey } from "@tau/tools/tool";

export interface CellOutcome extends CellEnd {
	/** What the reader has to know beside the output: a restart, and what it lost. */
	notes: readonly string[];
}

export const cellsService: ServiceKey<Cells> = { name: "eval", create: (env) => new Cells(env) };

export class Cells implements AsyncDisposable {
	readonly #env: ToolEnv;
	readonly #interpreters = new Map<Language, Interpreter>();
	readonly #starting = new Map<Language, Promise<Interpreter>>();
	/** A note about an interpreter that was ended, for its next cell. */
	readonly #lost = new Map<Language, { note: string; imports: readonly string[] }>();
	#last: Promise<unknown> = Promise.resolve();
	#isClosed = false;

	constructor(env: ToolEnv) {
		this.#env = env;
	}

	/** Variables of an interpreter are nowhere else. */
	get holdsState(): boolean {
		return this.#interpreters.size > 0;
	}

	/** Cells of one session run one after the other. Rejects when the interpreter cannot be started. */
	run(
		language: Language,
		code: string,
		options: CellOptions & { events: CellEvents; reset: boolean },
	): Promise<CellOutcome> {
		const work = (): Promise<CellOutcome> => this.#run(language, code, options);
		const turn = this.#last.then(work, work);
		this.#last = turn;
		return turn;
	}

	/** What the user may mean in a cell: `text` is the name before the caret, with those that it is a member of. */
	async complete(language: Language, text: string, signal: AbortSignal): Promise<readonly string[]> {
		const [, start] = /^tools\.(\w*)$/.exec(text) ?? [];
		if (start !== undefined) {
			const names = this.#env.session.callableTools?.().map(({ name }) => name) ?? [];
			return names.filter((name) => name.startsWith(start)).toSorted();
		}
		return (await this.#interpreters.get(language)?.complete(text, signal)) ?? [];
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isClosed = true;
		await Promise.allSettled(this.#starting.values());
		await Promise.all([...this.#interpreters.values()].map((each) => each[Symbol.asyncDispose]()));
	}

	async #run(
		language: Language,
		code: string,
		{ events, reset, ...options }: CellOptions & { events: CellEvents; reset: boolean },
	): Promise<CellOutcome> {
		const notes: string[] = [];
		if (reset) await this.#end(language);
		else await this.#replaceStale(language);
		const interpreter = await this.#started(language);
		const lost = this.#lost.get(language);
		this.#lost.delete(language);
		if (lost && !reset)
			notes.push(lost.note, ...(await this.#importAgain(interpreter, lost.imports, options)));
		const end = await interpreter.run(code, events, options);
		if (end.died !== undefined) {
			const note = this.#lose(language, interpreter, `${languageNames[language]} ${end.died}`);
			this.#lost.delete(language);
			this.#lost.set(language, { note: "", imports: [...interpreter.imports] });
			notes.push(note);
		}
		return { ...end, notes: notes.filter(Boolean) };
	}

	async #replaceStale(language: Language): Promise<void> {
		const interpreter = this.#interpreters.get(language);
		if (!interpreter) return;
		if (interpreter.exit !== undefined) {
			this.#lose(language, interpreter, `${languageNames[language]} ${interpreter.exit}`);
		} else if (!(await interpreter.isCurrent())) {
			// Variables that were made outside must not act inside as if they had been, nor the other way round.
			this.#lose(language, interpreter, `The sandbox has changed: ${languageNames[language]} was ended`);
			await interpreter[Symbol.asyncDispose]();
		}
	}

	#lose(language: Language, interpreter: Interpreter, why: string): string {
		if (this.#interpreters.get(language) === interpreter) this.#interpreters.delete(language);
		const { names } = interpreter;
		const shown = names.slice(-limits.lostNames).join(", ");
		const more = names.length > limits.lostNames ? ` and ${names.length - limits.lostNames} more` : "";
		const lost = names.length === 0 ? "It had no variables." : `Lost: ${shown}${more}.`;
		const note = `[${why}; it starts again with the next cell. ${lost}]`;
		this.#lost.set(language, {
			note: `[${why}, and was started again. ${lost}]`,
			imports: [...interpreter.imports],
		});
		return note;
	}

	async #importAgain(
		interpreter: Interpreter,
		imports: readonly string[],
		options: CellOptions,
	): Promise<string[]> {
		if (imports.length === 0) return [];
		const silent: CellEvents = {
			onText: () => {},
			onImage: () => {},
			onJson: () => {},
			onCall: async () => ({ ok: false, text: "Imports call no tools." }),
		};
		const { ok } = await interpreter.run(imports.join("\n"), silent, options);
		return [ok ? "[Its imports were run again.]" : "[Running its imports again failed.]"];
	}

	async #end(language: Language): Promise<void> {
		const interpreter = this.#interpreters.get(language);
		this.#interpreters.delete(language);
		this.#lost.delete(language);
		await interpreter?.[Symbol.asyncDispose]();
	}

	async #started(language: Language): Promise<Interpreter> {
		const known = this.#interpreters.get(language);
		if (known) return known;
		const starting = this.#starting.get(language) ?? this.#start(language);
		this.#starting.set(language, starting);
		try {
			return await starting;
		} finally {
			this.#starting.delete(language);
		}
	}

	async #start(language: Language): Promise<Interpreter> {
		const [program, modules] = await Promise.all([
			programOf(language, this.#env),
			modulesOf(language, this.#env),
		]);
		const trace = envFlag("TAU_PYTHON_IPC_TRACE", this.#env.env) ? traceTo(language) : undefined;
		const interpreter = await Interpreter.start(this.#env.machine.shell, program, modules, trace);
		if (this.#isClosed) {
			await interpreter[Symbol.asyncDispose]();
			throw new Error("The session has ended.");
		}
		this.#interpreters.set(language, interpreter);
		return interpreter;
	}
}

function traceTo(language: Language): FrameTrace {
	return (direction, frame) =>
		log.info("frame of a cell", {
			language,
			direction,
			frame: JSON.stringify(frame).slice(0, limits.tracedChars),
		});
}
