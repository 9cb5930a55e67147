/** The durations of calls, for as many as anyone will look at. */
export class Took {
	readonly #most: number;
	readonly #started = new Map<string, number>();
	readonly #ended = new Map<string, number>();

	constructor(most: number) {
		this.#most = most;
	}

	start(id: string): void {
		this.#put(this.#started, id, performance.now());
	}

	end(id: string): void {
		const ms = this.soFar(id);
		this.#started.delete(id);
		if (ms !== undefined) this.#put(this.#ended, id, ms);
	}

	/** Milliseconds of a call that runs. */
	soFar(id: string): number | undefined {
		const started = this.#started.get(id);
		return started === undefined ? undefined : performance.now() - started;
	}

	/** Milliseconds of one that has ended. */
	of(id: string): number | undefined {
		return this.#ended.get(id);
	}

	#put(map: Map<string, number>, id: string, value: number): void {
		map.set(id, value);
		const [oldest] = map.keys();
		if (map.size > this.#most && oldest !== undefined) map.delete(oldest);
	}
}
