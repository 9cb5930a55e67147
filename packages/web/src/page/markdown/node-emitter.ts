/** Receives what the highlighter finds as nodes of the page: no HTML is made or parsed. */
export class NodeEmitter {
	readonly nodes = document.createDocumentFragment();
	#open: Node[] = [this.nodes];

	addText(text: string): void {
		this.#open.at(-1)?.appendChild(document.createTextNode(text));
	}

	startScope(scope: string): void {
		this.openNode(scope);
	}

	endScope(): void {
		this.closeNode();
	}

	openNode(scope: string): void {
		const span = document.createElement("span");
		// `title.function.invoke` is a title to the style sheet.
		span.className = `hl-${scope.split(".")[0]?.replace(/[^\w-]/g, "") ?? ""}`;
		this.#open.at(-1)?.appendChild(span);
		this.#open.push(span);
	}

	closeNode(): void {
		if (this.#open.length > 1) this.#open.pop();
	}

	/** Code of another language inside this one. */
	__addSublanguage(emitter: NodeEmitter): void {
		this.#open.at(-1)?.appendChild(emitter.nodes);
	}

	finalize(): void {
		this.#open = [this.nodes];
	}

	toHTML(): string {
		return "";
	}
}
