/** The document model of Markdown: a list of leaves, each with its containers. */

export interface Quote {
	kind: "quote";
	/** A blank line stands before it. */
	blank: boolean;
}

export interface List {
	kind: "list";
	blank: boolean;
	ordered: boolean;
	/** The number of the first item. */
	start: number;
	/** `-`, `+`, `*`, `.` or `)`: another one starts another list. */
	sign: string;
	/** The number of items so far; items are numbered by position, not by the source. */
	items: number;
}

export interface Item {
	kind: "item";
	blank: boolean;
	list: List;
	/** Its index in the list, from 0. */
	index: number;
	/** Columns that its content is indented by. */
	indent: number;
	/** True if it has content. */
	hasChild: boolean;
	/** True if some of its content is visible. */
	isShown: boolean;
}

export type Container = Quote | List | Item;

export type Align = "left" | "center" | "right" | undefined;

interface Placed {
	path: readonly Container[];
	/** A blank line stands before it. */
	blank: boolean;
}

export interface Paragraph extends Placed {
	kind: "paragraph";
	text: string;
	/** The continuation of a paragraph that was too long to parse at once. */
	continues: boolean;
}

export interface Heading extends Placed {
	kind: "heading";
	depth: number;
	text: string;
}

export interface Code extends Placed {
	kind: "code";
	isFenced: boolean;
	/** The info string of the fence; its first word is the language. */
	info: string;
	lines: string[];
	isOpen: boolean;
}

export interface Html extends Placed {
	kind: "html";
	lines: string[];
	isOpen: boolean;
}

export interface Table extends Placed {
	kind: "table";
	align: readonly Align[];
	header: readonly string[];
	rows: (readonly string[])[];
	isOpen: boolean;
	/** Only a possible header so far, without the delimiter row. */
	isGuess: boolean;
}

/** A thematic break, or an empty item. */
export interface Bare extends Placed {
	kind: "rule" | "empty";
}

export type Leaf = Paragraph | Heading | Code | Html | Table | Bare;

/** The target of a reference link. */
export interface Definition {
	href: string;
	title: string;
}
