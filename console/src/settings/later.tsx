/** Screens that are loaded when they are opened: few open them, and the page has a limit on what it loads first. */
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure, Loading } from '../parts/states.tsx';

/** The screen that `load` imports; until it is there, a sign that it loads. */
export function later<Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> {
  return (props) => {
    const [view, setView] = useState<{ readonly View: FunctionComponent<Props> } | null>(null);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      load().then(
        (View) => setView({ View }),
        () => setFailed(true),
      );
    }, []);
    if (failed) return <Failure sentence="The screen could not be loaded." retry={() => location.reload()} />;
    return view ? <view.View {...props} /> : <Loading />;
  };
}
