/** Records whose code runs at the moment, so that code that never returns can be named. */

/** Called around code of extensions. Both run for each delta of an answer, so they must be quick. */
export interface CodeObserver {
	onEnter(owner: string, activity: string): void;
	onLeave(): void;
}

let observer: CodeObserver | undefined;
/** The owners of objects whose methods Tau calls later, such as components. */
const owners = new WeakMap<object, string>();

/** There is one observer per process, because there is one thread that code can block. */
export function observeCode(next: CodeObserver): Disposable {
	observer = next;
	return {
		[Symbol.dispose]() {
			if (observer === next) observer = undefined;
		},
	};
}

/** `activity` says what the code does for Tau: the name of an event, `tool x`, `render`. */
export function runAs<T>(owner: string, activity: string, work: () => T): T {
	const current = observer;
	if (!current) return work();
	current.onEnter(owner, activity);
	try {
		return work();
	} finally {
		current.onLeave();
	}
}

/** Remembers whose object this is; returns it. */
export function ownedBy<T>(owner: string, value: T): T {
	if (typeof value === "object" && value !== null) owners.set(value, owner);
	return value;
}

/** Runs a method of an object in the name of its owner, if it has one. */
export function runOwned<T>(value: object, activity: string, work: () => T): T {
	const owner = observer && owners.get(value);
	return owner === undefined ? work() : runAs(owner, activity, work);
}
