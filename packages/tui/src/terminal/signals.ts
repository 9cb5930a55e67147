/** What happens to the process, as far as its terminal is concerned. */
import { listen } from "@tau/utils";

export interface ProcessEvents {
	/** The window has another size. */
	resized(): void;
	/** The process is about to be stopped: the terminal must be given back first. */
	stopping(): void;
	continued(): void;
	/** The process ends, in whatever way it can know of; may come more than once. */
	ending(): void;
}

const deadly = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function watchProcess(events: ProcessEvents): Disposable {
	const stack = new DisposableStack();
	stack.use(listen(process, "SIGWINCH", () => events.resized()));
	stack.use(listen(process, "SIGCONT", () => events.continued()));
	stack.use(
		listen(process, "SIGTSTP", () => {
			events.stopping();
			stopNow();
		}),
	);
	stack.use(listen(process, "exit", () => events.ending()));
	stack.use(
		listen(process, "uncaughtExceptionMonitor", () => {
			// Somebody else listens and may go on; if they end the process, that is heard too.
			if (process.listenerCount("uncaughtException") > 0) return;
			// Before the error is printed: what is printed on the alternate screen goes away with it.
			events.ending();
		}),
	);
	for (const signal of deadly) {
		const heard = stack.use(
			listen(process, signal, () => {
				// Somebody else listens and may go on: if not, the process ends and is heard to.
				if (process.listenerCount(signal) > 1) return;
				events.ending();
				heard[Symbol.dispose]();
				process.kill(process.pid, signal);
			}),
		);
	}
	return stack;
}

/** SIGTSTP itself is ours by now; nobody can take this one. */
export function stopNow(): void {
	process.kill(process.pid, "SIGSTOP");
}
