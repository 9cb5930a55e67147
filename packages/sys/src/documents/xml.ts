/** Navigates XML by local names: the prefixes are the writer's choice. */

export type XmlElement = Bun.XML.Node;

/** The name without its prefix. */
export function localName(element: XmlElement): string {
	return element.name.slice(element.name.indexOf(":") + 1);
}

export function childElements(element: XmlElement): XmlElement[] {
	return element.children.filter(
		(child): child is XmlElement => typeof child === "object" && "name" in child,
	);
}

export function childrenNamed(element: XmlElement | undefined, name: string): XmlElement[] {
	return element ? childElements(element).filter((child) => localName(child) === name) : [];
}

/** Follows the path of names, at each step to the first matching child. */
export function at(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
	let current = element;
	for (const name of path)
		current = current && childElements(current).find((child) => localName(child) === name);
	return current;
}

/** All descendants with that name, in document order; the inside of a match is not searched. */
export function descendants(element: XmlElement | undefined, name: string): XmlElement[] {
	if (!element) return [];
	return childElements(element).flatMap((child) =>
		localName(child) === name ? [child] : descendants(child, name),
	);
}

/** An attribute by its local name. */
export function attribute(element: XmlElement | undefined, name: string): string | undefined {
	if (!element) return undefined;
	for (const [key, value] of Object.entries(element.attributes)) {
		if (key.slice(key.indexOf(":") + 1) === name) return value;
	}
	return undefined;
}

/** All character data below the element. */
export function textOf(element: XmlElement | undefined): string {
	if (!element) return "";
	return element.children
		.map((child) => (typeof child === "string" ? child : "name" in child ? textOf(child) : ""))
		.join("");
}
