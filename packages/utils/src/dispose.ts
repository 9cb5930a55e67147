/** Gives callbacks, listeners and timers an owner: each becomes something that `using` can dispose of. */

/** Runs `fn` on the first disposal only. */
export function onDispose(fn: () => void): Disposable {
	let pending: (() => void) | undefined = fn;
	return {
		[Symbol.dispose]() {
			const run = pending;
			pending = undefined;
			run?.();
		},
	};
}

interface Emitter<A extends unknown[]> {
	on(event: string, fn: (...args: A) => void): unknown;
	off(event: string, fn: (...args: A) => void): unknown;
}

/** Listens on a DOM target or a Node emitter until disposed. */
export function listen<E extends Event>(
	target: EventTarget,
	event: string,
	fn: (event: E) => void,
): Disposable;
export function listen<A extends unknown[]>(
	target: Emitter<A>,
	event: string,
	fn: (...args: A) => void,
): Disposable;
export function listen(
	target: EventTarget | Emitter<unknown[]>,
	event: string,
	fn: (...args: never[]) => void,
) {
	const listener = fn as (...args: unknown[]) => void;
	if (target instanceof EventTarget) {
		target.addEventListener(event, listener);
		return onDispose(() => target.removeEventListener(event, listener));
	}
	target.on(event, listener);
	return onDispose(() => target.off(event, listener));
}

/** Runs `fn` once after `ms` unless disposed before; it does not keep the process alive. */
export function timer(ms: number, fn: () => void): Disposable {
	const handle = setTimeout(fn, ms);
	handle.unref();
	return onDispose(() => clearTimeout(handle));
}
