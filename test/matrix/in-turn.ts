/** Runs cells in parallel, a few at a time, each with its own time limit. */
import { limits } from "./limits.ts";

const waiting: (() => void)[] = [];
let running = 0;

/** Waits for a free slot; the time limit of the cell starts with it. */
export async function inTurn(check: () => Promise<void>): Promise<void> {
	await slot();
	try {
		await bounded(check());
	} finally {
		const next = waiting.shift();
		if (next) next();
		else running--;
	}
}

async function slot(): Promise<void> {
	if (running < limits.atATime) {
		running++;
		return;
	}
	const { promise, resolve } = Promise.withResolvers<void>();
	waiting.push(resolve);
	await promise;
}

async function bounded(work: Promise<void>): Promise<void> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(
		() => late.reject(new Error(`The cell took longer than ${limits.cellMs} ms.`)),
		limits.cellMs,
	);
	try {
		await Promise.race([work, late.promise]);
	} finally {
		clearTimeout(timer);
	}
}
