/** What a Markdown document is made of: leaves in a row, each with the containers that it stands in. */

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
	/** Items so far; the number of an item is counted, not read. */
	items: number;
}

export interface Item {
	kind: "item";
	blank: boolean;
	list: List;
	/** Its place in the list, from 0. */
	index: number;
	/** Columns that its content is indented by. */
	indent: number;
	/** Something was put into it, ... */
	hasChild: boolean;
	/** ... and something of that is shown. */
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
	/** The rest of a paragraph that was too long to be read as one. */
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
	/** What stands behind the fence: the language first. */
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
	/** Only its header is there, and nothing yet that makes it one. */
	isGuess: boolean;
}

/** A thematic break, or an item that holds nothing. */
export interface Bare extends Placed {
	kind: "rule" | "empty";
}

export type Leaf = Paragraph | Heading | Code | Html | Table | Bare;

/** Where a link by reference goes. */
export interface Definition {
	href: string;
	title: string;
}
