/** Follows which tasks of the fleet wait for an answer, for footers and pushes. Loaded where the fleet is used. */
import { log, onDispose, timer } from "@tau/utils";

import type { Tasks } from "./fleet.ts";

/** Changes come in bursts: a running task writes with each message. */
const calmMs = 1000;

/** A task that asks something. */
export interface WaitingTask {
	readonly id: string;
	/** Of the session that asks, while one runs. */
	readonly sessionId?: string | undefined;
	readonly questions: number;
}

export async function waitingTasks(store: Tasks): Promise<WaitingTask[]> {
	const open = await store.list(["running", "parked"]);
	return open.flatMap(({ id, progress: { questions, sessionId } }) =>
		questions.length === 0 ? [] : [{ id, sessionId, questions: questions.length }],
	);
}

/** Calls with the tasks that wait, now and whenever something has changed. */
export function followWaiting(store: Tasks, onTasks: (tasks: WaitingTask[]) => void): Disposable {
	let pending: Disposable | undefined;
	let isOver = false;
	const look = async (): Promise<void> => {
		pending = undefined;
		try {
			const tasks = await waitingTasks(store);
			if (!isOver) onTasks(tasks);
		} catch (error) {
			log.debug("the tasks of the fleet cannot be read", { reason: String(error) });
		}
	};
	const changes = store.onChange(() => (pending ??= timer(calmMs, () => void look())));
	void look();
	return onDispose(() => {
		isOver = true;
		pending?.[Symbol.dispose]();
		changes[Symbol.dispose]();
	});
}
