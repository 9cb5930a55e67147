/** Waits, with a bound, for what only another start of the program says. */

/** A start takes 70 ms of a processor, which the process that is waited for could use: what takes long is asked less often. */
const pauseMs = { first: 150, longest: 600 };
const patienceMs = 60_000;

/** Asks until the answer is as wanted. Throws with the last answer. */
export async function untilAnswer<T>(
	ask: () => Promise<T>,
	holds: (answer: T) => boolean,
	boundMs: number = patienceMs,
): Promise<T> {
	const end = performance.now() + boundMs;
	for (let pause = pauseMs.first; ; pause = Math.min(1.5 * pause, pauseMs.longest)) {
		const isLast = performance.now() > end;
		const answer = await ask();
		if (holds(answer)) return answer;
		if (isLast) throw new Error(`never: ${typeof answer === "string" ? answer : JSON.stringify(answer)}`);
		await Bun.sleep(pause);
	}
}
