/** The packages of other programs that extensions import, answered by Tau. `@tau/compat` supplies them. */
export interface VirtualModules {
	/** Registers them with the module loader, once per process. Resolves to what `import "@tau/coding-agent"` gives. */
	install(): Promise<ModuleExports>;
	/** Loads one ahead of a CommonJS `require`, which cannot wait. False for any other module. */
	prepareForRequire(name: string): Promise<boolean>;
	/**
	 * Gives the names that the extension imports and the packages lack: they export them as `undefined` from now on. One
	 * with `why` is a member that the extension replaces, and why that has no effect.
	 */
	addUnknownImports(path: string): Promise<readonly { module: string; name: string; why?: string }[]>;
	/**
	 * An extension from the directory of pi or omp: the directories that its imports name are those of that program.
	 * Resolves to what `install` gives, with these names.
	 */
	adopt(path: string, program: string): Promise<ModuleExports>;
}

export type ModuleExports = Readonly<Record<string, unknown>>;
