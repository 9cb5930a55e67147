/** The process signals that concern its terminal. */
import { listen } from "@tau/utils";

export interface ProcessEvents {
	/** The window was resized. */
	resized(): void;
	/** The process is about to be stopped: the terminal must be restored first. */
	stopping(): void;
	continued(): void;
	/** The process ends, in any way that can be noticed; may be called more than once. */
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
			// Another listener may keep the process running; if it ends the process, that is noticed too.
			if (process.listenerCount("uncaughtException") > 0) return;
			// Before the error is printed: output on the alternate screen disappears with it.
			events.ending();
		}),
	);
	for (const signal of deadly) {
		const subscription = stack.use(
			listen(process, signal, () => {
				// Another listener may keep the process running: if not, the process ends and that is noticed.
				if (process.listenerCount(signal) > 1) return;
				events.ending();
				subscription[Symbol.dispose]();
				process.kill(process.pid, signal);
			}),
		);
	}
	return stack;
}

/** We handle SIGTSTP itself by now; this signal cannot be handled. */
export function stopNow(): void {
	process.kill(process.pid, "SIGSTOP");
}
