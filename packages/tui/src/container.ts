/** Components one below the other. */
import type { Component } from "./component.ts";

export class Container implements Component {
	children: Component[] = [];

	addChild(component: Component): void {
		this.children.push(component);
	}

	removeChild(component: Component): void {
		const at = this.children.indexOf(component);
		if (at >= 0) this.children.splice(at, 1);
	}

	clear(): void {
		this.children = [];
	}

	invalidate(): void {
		for (const child of this.children) child.invalidate();
	}

	render(width: number): string[] {
		const rows: string[] = [];
		for (const child of this.children) {
			for (const row of child.render(width)) rows.push(row);
		}
		return rows;
	}
}
