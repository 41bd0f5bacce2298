# Origins and sources, of facts and of records; curves read outside their range; records that are no designs.
cat > "$SCRATCH/a.sysdl" << 'end'
sysdl 2026

schema link {
  rate: Bandwidth
  efficiency: curve[Data, Real] = curve(x = [1 MB, 1 GB], y = [0.5, 0.9]) source "our test, 2026-11" as fitted
  message: Data = 10 MB
  let reached = efficiency(message)
  derived time: Time = message / (rate * reached)
}

link Good = link {
  source "data sheet of the switch" as datasheet
  rate = 400 Gbit/s
}
link Far = Good {
  message = 10 GB
  rate = 380 Gbit/s source "guessed" as assumed
}
end
sysdlc explain "$SCRATCH/a.sysdl" Good.time | sed "s|$SCRATCH/||g"
echo
sysdlc explain "$SCRATCH/a.sysdl" Far.time | sed "s|$SCRATCH/||g"
echo
sysdlc explain "$SCRATCH/a.sysdl" Far.time --format json | sed "s|$SCRATCH/||g"
