/** Work for parts of a page that waits until they come into view: of a long answer, most never do. */

const waiting = new WeakMap<Element, () => void>();

const observer = new IntersectionObserver(
	(entries) => {
		for (const { target, isIntersecting } of entries) {
			if (!isIntersecting) continue;
			observer.unobserve(target);
			waiting.get(target)?.();
			waiting.delete(target);
		}
	},
	{ rootMargin: "200px" },
);

export function whenSeen(element: Element, work: () => void): void {
	waiting.set(element, work);
	observer.observe(element);
}
