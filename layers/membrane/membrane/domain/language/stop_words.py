"""English words that say nothing about the topic of a text."""

_STOPWORDS = """
    a about above after again against all am an and any are as at be because been before being
    below between both but by can cannot could did do does doing done down during each few for from
    further get gets getting got had has have having he her here hers herself him himself his how i
    if in into is it its itself just let like me might more most much must my myself no
    nor not now of off oh ok okay on once one only or other our ours ourselves out over own really
    same shall she should so some such t than that the their theirs them themselves then there
    these they this those through to too under until up upon us very was we well were what when
    where whether which while who whom whose why will with would yeah yes you your yours yourself
    yourselves
    ain aren couldn d didn doesn don hadn hasn haven im isn ll m re s shouldn t ve wasn weren won
    wouldn dont didnt doesnt isnt wasnt ive youre thats
"""
STOPWORDS = frozenset(_STOPWORDS.split())
