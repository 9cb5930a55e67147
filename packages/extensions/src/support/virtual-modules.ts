/** The packages of other programs that extensions import, answered by Tau. `@tau/compat` supplies them. */
export interface VirtualModules {
	/** Registers them with the module loader, once per process. Resolves to what `import "@tau/coding-agent"` gives. */
	install(): Promise<Readonly<Record<string, unknown>>>;
	/** Loads one ahead of a CommonJS `require`, which cannot wait. False for any other module. */
	prepareForRequire(name: string): Promise<boolean>;
}
